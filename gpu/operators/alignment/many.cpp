#include "gpu/operators/alignment/many.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "gpu/operators/alignment/dispatch.hpp"
#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/scratch.hpp"

namespace sluice::alignment {

namespace {

enum Width { bytes, words, longs };

// One call's work: pairs sorted by text, then by length, so that neighbours share a text and waste few rows.
class Batch {
public:
    Batch(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
          std::span<const Pair> pairs, InstructionSet set)
        : scheme_(scheme),
          mode_(mode),
          tables_(scheme),
          kernels_(lane_kernels_of(set)),
          one_by_one_(scheme, mode, tables_, set),
          pairs_(pairs) {
        // Scores are symmetric, so the side with fewer sequences can be the one that lanes share.
        swapped_ = queries.size() < texts.size();
        lanes_ = swapped_ ? &texts : &queries;
        shared_ = swapped_ ? &queries : &texts;
    }

    void scores(std::span<std::int32_t> scores) {
        std::vector<std::uint32_t> todo;
        for (std::uint32_t k = 0; k < pairs_.size(); ++k) {
            if (const auto known = known_score(k)) {
                scores[k] = *known;
            } else {
                todo.push_back(k);
            }
        }
        while (!todo.empty()) {
            std::vector<std::uint32_t> exceeded;
            for_groups(
                todo, [&](std::uint32_t k) { return width_for(k); },
                [&](auto group, Width width) {
                    const std::int32_t limit = run(kernel_of(width), group, {});
                    for (std::size_t l = 0; l < group.size(); ++l) {
                        if (results_[l] < limit) {
                            scores[group[l]] = results_[l];
                        } else {
                            exceeded.push_back(group[l]);
                        }
                    }
                });
            if (narrowest_ < longs) narrowest_ = static_cast<Width>(narrowest_ + 1);
            todo = std::move(exceeded);
        }
    }

    void reaches(std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits) {
        std::vector<std::uint32_t> todo;
        for (std::uint32_t k = 0; k < pairs_.size(); ++k) {
            if (const auto known =
                    reaches_by_lengths(scheme_, mode_, lane_length(k), shared_length(k), thresholds[k])) {
                hits[k] = *known;
            } else {
                todo.push_back(k);
            }
        }
        const auto width = [&](std::uint32_t k) { return width_for(k, thresholds[k]); };
        for_groups(todo, width, [&](auto group, Width narrow) {
            run(kernel_of(narrow), group, thresholds);
            for (std::size_t l = 0; l < group.size(); ++l) hits[group[l]] = results_[l] >= thresholds[group[l]];
        });
    }

private:
    std::uint32_t lane_index(std::uint32_t k) const { return swapped_ ? pairs_[k].text : pairs_[k].query; }
    std::uint32_t shared_index(std::uint32_t k) const { return swapped_ ? pairs_[k].query : pairs_[k].text; }
    std::size_t lane_length(std::uint32_t k) const { return lanes_->length(lane_index(k)); }
    std::size_t shared_length(std::uint32_t k) const { return shared_->length(shared_index(k)); }

    const LaneWidth& kernel_of(Width width) const {
        return width == bytes ? kernels_.bytes : width == words ? kernels_.words : kernels_.longs;
    }

    std::optional<std::int32_t> known_score(std::uint32_t k) const {
        const std::size_t m = lane_length(k), n = shared_length(k);
        if (m != 0 && n != 0) return std::nullopt;
        return mode_ == Mode::local ? 0 : static_cast<std::int32_t>(-scheme_.gap_cost(m + n));
    }

    // The narrowest lanes whose range the pair can't exceed, or that detect it if it does. With a threshold, the range
    // need only reach that.
    Width width_for(std::uint32_t k, std::optional<std::int32_t> threshold = {}) const {
        const std::size_t m = lane_length(k), n = shared_length(k);
        const std::int64_t bound = scheme_.score_bound(m, n);
        constexpr std::int64_t range = 32000;
        if (mode_ == Mode::global) {
            const std::int64_t lowest = scheme_.gap_cost(m) + scheme_.gap_cost(n) + scheme_.gap_first + score_max;
            return bound < range && lowest < range ? words : longs;
        }
        const std::int64_t needed = threshold ? *threshold : 0;
        if (narrowest_ == bytes && kernels_.bytes.run != nullptr && tables_.bytes_fit && needed <= kernels_.bytes.limit)
            return bytes;
        const bool saturates = kernels_.words.limit == 65535;
        if (narrowest_ <= words && (saturates ? needed <= kernels_.words.limit : bound < kernels_.words.limit))
            return words;
        return longs;
    }

    // Calls work(indices of pairs, width) for groups that share a text and a width, of at most as many pairs as it has
    // lanes.
    template <class WidthOf, class Work>
    void for_groups(std::vector<std::uint32_t>& indices, WidthOf width_of, Work work) {
        struct Key {
            Width width;
            std::uint32_t shared;
            std::size_t length;
            std::uint32_t index;
        };
        std::vector<Key> keys;
        keys.reserve(indices.size());
        for (const auto k : indices) keys.push_back({width_of(k), shared_index(k), lane_length(k), k});
        std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
            if (a.width != b.width) return a.width < b.width;
            if (a.shared != b.shared) return a.shared < b.shared;
            return a.length != b.length ? a.length < b.length : a.index < b.index;
        });
        std::array<std::uint32_t, lanes_max> group;
        for (std::size_t first = 0; first < keys.size();) {
            const Key& key = keys[first];
            const std::size_t lanes = kernel_of(key.width).lanes;
            std::size_t size = 0;
            while (size < lanes && first + size < keys.size() && keys[first + size].width == key.width &&
                   keys[first + size].shared == key.shared) {
                group[size] = keys[first + size].index;
                ++size;
            }
            first += size;
            work(std::span<const std::uint32_t>(group.data(), size), key.width);
        }
    }

    // Leaves the group's scores in results_. `thresholds` are by pair, or empty. If empty, scores below the returned
    // limit are right.
    std::int32_t run(const LaneWidth& kernel, std::span<const std::uint32_t> group,
                     std::span<const std::int32_t> thresholds) {
        const Codes text = (*shared_)[shared_index(group[0])];
        if (one_by_one_.suits(group.size())) {
            for (std::size_t l = 0; l < group.size(); ++l)
                results_[l] = one_by_one_.score((*lanes_)[lane_index(group[l])], text,
                                                thresholds.empty() ? INT32_MAX : thresholds[group[l]]);
            return INT32_MAX;
        }
        if (kernel.limit != kernels_.bytes.limit) tables_.widen(scheme_);
        const std::size_t lanes = kernel.lanes, rows = lane_length(group.back());
        auto* codes = static_cast<Code*>(codes_.reserve(rows * lanes));
        std::fill_n(codes, rows * lanes, null_code);
        std::array<std::uint32_t, lanes_max> lengths{};
        std::array<std::int32_t, lanes_max> targets;
        targets.fill(INT32_MIN);
        for (std::size_t l = 0; l < group.size(); ++l) {
            const Codes query = (*lanes_)[lane_index(group[l])];
            for (std::size_t row = 0; row < query.size(); ++row) codes[row * lanes + l] = query[row];
            lengths[l] = static_cast<std::uint32_t>(query.size());
            if (!thresholds.empty()) targets[l] = thresholds[group[l]];
        }
        const LaneTask task{&tables_,       mode_,
                            text.data(),    text.size(),
                            codes,          rows,
                            lengths.data(), thresholds.empty() ? nullptr : targets.data(),
                            &results_,      state_.reserve(rows * 2 * 64)};
        return kernel.run(task) ? kernel.limit : INT32_MIN;
    }

    const Scheme& scheme_;
    Mode mode_;
    ScoreTables tables_;
    LaneKernels kernels_;
    CoreAligner one_by_one_;
    std::span<const Pair> pairs_;
    const SequenceSet *lanes_, *shared_;
    bool swapped_;
    Width narrowest_ = bytes;
    std::array<std::int32_t, lanes_max> results_;
    Scratch codes_, state_;
};

}  // namespace

void align_many(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
                std::span<const Pair> pairs, std::span<std::int32_t> scores, InstructionSet set) {
    Batch(scheme, mode, queries, texts, pairs, set).scores(scores);
}

void align_reaches(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
                   std::span<const Pair> pairs, std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits,
                   InstructionSet set) {
    Batch(scheme, mode, queries, texts, pairs, set).reaches(thresholds, hits);
}

}  // namespace sluice::alignment
