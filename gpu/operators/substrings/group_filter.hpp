// One group of patterns with the filter that finds their places in a text. The kind of filter and the number of places
// it tests are chosen by what it lets through of a sample and by measured costs. Immutable; usable from any thread. The
// caller owns the patterns' texts and must pass the same ones in each call.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/operators/substrings/filter_kernel.hpp"
#include "gpu/operators/substrings/window_group.hpp"

namespace sluice::substrings {

class GroupFilter {
public:
    // `members`: indices of non-empty patterns.
    GroupFilter(const PatternTexts& texts, std::span<const std::uint32_t> members,
                std::span<const std::string_view> sample, const GramCounts& counts, const FilterKernels& kernels);

    GroupFilter(GroupFilter&&) noexcept = default;  // a copy's filter would use the original's bitmap
    GroupFilter& operator=(GroupFilter&&) noexcept = default;

    // The estimated cost of a byte of text.
    double nanoseconds_per_byte() const { return cost_; }
    const WindowGroup& windows() const { return windows_; }

    // Reports the patterns that occur in the text to the sink: see PatternFilter::search.
    template <class Sink>
    void search(const PatternTexts& texts, std::string_view text, Sink& sink) const {
        if (text.size() < windows_.window.bytes) return;
        const std::size_t all = text.size() - asked_bytes() + 1, windows = text.size() - windows_.window.bytes + 1;
        const std::size_t phases = kind_ == Kind::grams ? grams_.stride : 1;
        std::size_t missing = windows_.entries.size();
        std::array<std::uint32_t, piece + places_slack> places;
        Candidates candidates;
        for (std::size_t begin = 0; begin < all && missing > 0; begin += piece) {
            const std::size_t passed = scan(text, begin, std::min(all, begin + piece), places.data());
            sink.counters.filter_hits += passed;
            for (std::size_t i = 0; i < passed; ++i) {
                for (std::size_t phase = phases; phase-- > 0;) {
                    const std::size_t window = places[i] - phase;
                    if (window >= windows) continue;  // also if before the text
                    add_candidate(text, window, candidates);
                    if (candidates.count == candidates.list.size()) missing -= compare(texts, text, candidates, sink);
                }
            }
            if (candidates.count > 0) missing -= compare(texts, text, candidates, sink);
        }
    }

private:
    enum class Kind : std::uint8_t { grams, bytes };

    // The places of one kernel call, whose list stays in the L1 cache. A multiple of every stride.
    static constexpr std::size_t piece = 4096;

    void choose(const PatternTexts& texts, std::span<const std::string_view> sample);
    void use_bytes(const PatternTexts& texts, std::uint32_t bytes);
    void use_grams(const PatternTexts& texts, std::uint32_t stride);
    std::size_t chain_length(std::string_view text, std::size_t window) const;
    double estimate(std::span<const std::string_view> sample) const;

    std::uint32_t asked_bytes() const { return kind_ == Kind::grams ? grams_.gram.bytes : bytes_.bytes; }
    std::size_t scan(std::string_view text, std::size_t begin, std::size_t end, std::uint32_t* places) const {
        return kind_ == Kind::grams ? kernels_->grams(grams_, text.data(), text.size(), begin, end, places)
                                    : kernels_->bytes(bytes_, text.data(), text.size(), begin, end, places);
    }

    // Windows of the text that some patterns have. They are compared together, so that their memory reads overlap.
    struct Candidate {
        std::uint32_t window;
        std::uint32_t hash_or_entry;
    };
    struct Candidates {
        std::array<Candidate, 64> list;
        std::size_t count = 0;
    };

    void add_candidate(std::string_view text, std::size_t window, Candidates& candidates) const {
        const std::uint32_t hash = window_hash(windows_.window, text.data() + window);
        __builtin_prefetch(&windows_.slots[hash >> windows_.slot_shift]);
        candidates.list[candidates.count] = {static_cast<std::uint32_t>(window), hash};
        candidates.count += windows_.may_have(hash);
    }

    // Compares and removes all candidates. Returns the number of patterns that occur and need not be reported again.
    template <class Sink>
    std::size_t compare(const PatternTexts& texts, std::string_view text, Candidates& candidates, Sink& sink) const {
        std::size_t count = 0;
        for (const Candidate& c : std::span(candidates.list).first(candidates.count)) {
            const std::uint32_t entry = windows_.find(c.hash_or_entry);
            if (entry == WindowGroup::free_slot) continue;
            __builtin_prefetch(&windows_.entries[entry]);
            candidates.list[count++] = {c.window, entry};
        }
        candidates.count = 0;
        const std::span<const Candidate> found(candidates.list.data(), count);
        if (far_) {
            for (const Candidate& c : found) texts.prefetch_place(windows_.entries[c.hash_or_entry].pattern);
            for (const Candidate& c : found) texts.prefetch_bytes(windows_.entries[c.hash_or_entry].pattern);
        }
        std::size_t fresh = 0;
        for (const Candidate& c : found) fresh += compare(texts, text, c, sink);
        return fresh;
    }

    template <class Sink>
    std::size_t compare(const PatternTexts& texts, std::string_view text, const Candidate& candidate,
                        Sink& sink) const {
        std::size_t fresh = 0;
        for (std::uint32_t at = candidate.hash_or_entry;; ++at) {
            const WindowGroup::Entry& entry = windows_.entries[at];
            const std::size_t offset = entry.offset & ~WindowGroup::last_flag;
            const std::size_t begin = candidate.window - offset;
            if (candidate.window >= offset && !sink.found(entry.pattern, begin)) {
                const std::string_view pattern = texts[entry.pattern];
                ++sink.counters.verified;
                if (text.substr(begin, pattern.size()) == pattern && sink.add(entry.pattern, begin)) ++fresh;
            }
            if ((entry.offset & WindowGroup::last_flag) != 0) return fresh;
        }
    }

    const FilterKernels* kernels_;
    WindowGroup windows_;
    Kind kind_ = Kind::grams;
    GramFilter grams_;  // uses bitmap_
    ByteFilter bytes_;
    std::vector<std::uint32_t> bitmap_;
    double cost_ = 0;
    bool far_ = false;  // whether there are more patterns than the nearest caches hold
};

}  // namespace sluice::substrings
