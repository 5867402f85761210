// Patterns that come and go: immutable parts, each a compiled Searcher, of which new patterns make a small one beside
// the large. A change gives a new PatternSet that shares the parts it did not touch, so it costs what the change is;
// parts of like size are merged off the hot path. A PatternSet is immutable: any number of threads may search.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/exact/exact.hpp"

namespace sluice::exact {

// `id` is the caller's; hits name it. Ids and patterns are distinct. Ids are dense (a bit is kept for each), and one
// that was removed is not used again.
struct IdentifiedPattern {
    std::uint32_t id = 0;
    std::string text;
    Place place = Place::anywhere;
};

class PatternSet {
public:
    // Parts of up to this many patterns are merged at once, by added().
    static constexpr std::size_t small_part_patterns = 256;

    // The patterns must not be refused (exact::refusal).
    PatternSet added(std::vector<IdentifiedPattern> patterns) const;
    PatternSet removed(std::span<const std::uint32_t> ids) const;

    // Whether parts of like size should be merged, or one has lost half of its patterns: call merged() on a thread that
    // nobody waits for, then add and remove once more what was added and removed meanwhile.
    bool merge_due() const { return first_to_merge() < parts_.size(); }
    // The same patterns, in parts each of more than twice what those after it have. `sample`: see make_filter_searcher.
    PatternSet merged(std::span<const std::string_view> sample = {}) const;

    // Hits name ids. A pattern that was removed is not found.
    void search(std::span<const std::string_view> texts, Results& results) const;

    std::size_t size() const;
    std::size_t parts() const { return parts_.size(); }

private:
    struct Part {
        std::vector<IdentifiedPattern> patterns;
        std::unique_ptr<Searcher> searcher;
    };
    struct LivePart {
        std::shared_ptr<const Part> part;
        std::size_t removed = 0;

        std::size_t size() const { return part->patterns.size() - removed; }
    };

    bool is_removed(std::uint32_t id) const {
        return id / 64 < removed_.size() && ((removed_[id / 64] >> id % 64) & 1);
    }
    std::size_t first_to_merge() const;  // parts().size(): none
    std::vector<IdentifiedPattern> live(std::size_t first_part) const;
    static LivePart compile(std::vector<IdentifiedPattern> patterns, std::span<const std::string_view> sample);

    std::vector<LivePart> parts_;         // the largest first
    std::vector<std::uint64_t> removed_;  // by id
};

}  // namespace sluice::exact
