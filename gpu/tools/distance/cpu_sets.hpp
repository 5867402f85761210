// PatternSet for many patterns and long texts: the work is cut into tasks of about a tenth of a second or less, for
// several threads. Belongs to one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/edits/edits.hpp"
#include "gpu/tools/distance/all_pairs_options.hpp"

namespace sluice::edits {

class CpuSets {
public:
    // The patterns must outlive this object.
    CpuSets(std::span<const std::string_view> patterns, const Costs& costs, const AllPairsOptions& options);

    // Like AllPairs::match.
    bool match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch);
    // The most parts that a text was cut into.
    std::uint64_t parts() const { return parts_; }

private:
    struct Set {
        std::size_t first, size;  // its patterns
        PatternSet patterns;
    };
    struct Task {
        std::size_t first_piece, end_piece, set;
    };

    std::uint64_t piece_bytes(std::uint64_t all_bytes) const;
    std::vector<Task> tasks_for(std::span<const std::string_view> pieces) const;
    void run(const Task& task, std::span<const std::string_view> pieces, std::span<const std::size_t> text_of,
             std::span<std::uint32_t> distances) const;

    AllPairsOptions options_;
    std::uint64_t task_cells_, set_characters_ = 1;  // the latter: of the largest set
    std::uint64_t overlap_ = 0;
    std::size_t patterns_;
    std::vector<Set> sets_;
    std::uint64_t parts_ = 1;
};

}  // namespace sluice::edits
