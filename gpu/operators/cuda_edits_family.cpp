// Edit distances on a device: for each set a GpuPatternSet, or a GpuWeightedSet if its costs are not unit costs.
#include <algorithm>
#include <optional>

#include "gpu/operators/cuda_families.hpp"
#include "gpu/operators/edits/cuda/edits_cuda.hpp"
#include "gpu/operators/edits/cuda/weighted_cuda.hpp"

namespace sluice::operators {

namespace {

using edits::Counters;
using edits::GpuPatternSet;

// The cost of a pair that is computed alone: a thread walks down the text by itself, many pairs side by side.
constexpr double alone_ns_a_word = 30, alone_cells_a_ns = 2'000;
// The cost of computing all pairs of these texts and the set's patterns together.
constexpr double together_cells_a_ns = 15'000, results_a_ns = 1;
// The most results of all pairs that the host keeps at once; more texts are processed in parts.
constexpr std::size_t results_max = std::size_t{1} << 22;

// The distinct texts of the pairs, and the pairs with their indexes.
struct Compact {
    std::vector<std::string_view> texts;
    std::vector<edits::Pair> pairs;

    // `asked` ascends.
    Compact(std::span<const std::string_view> all, std::span<const edits::Pair> asked) {
        std::optional<std::uint32_t> latest;
        for (const edits::Pair& pair : asked) {
            if (latest != pair.text) texts.push_back(all[pair.text]);
            latest = pair.text;
            pairs.push_back({static_cast<std::uint32_t>(texts.size() - 1), pair.pattern});
        }
    }
};

class CudaEdits final : public DeviceFamily, private EditsSolver {
public:
    explicit CudaEdits(const EditsFamily& family) : family_(family), sets_(family.sets()), weighted_(family.sets()) {
        for (std::size_t s = 0; s < sets_.size(); ++s) {
            const EditsFamily::Description& set = family.description(s);
            if (set.costs != edits::CostTable::unit) {
                weighted_[s].emplace(set.patterns, set.extent, set.costs);
                continue;
            }
            sets_[s].emplace(Set{GpuPatternSet(set.patterns, set.extent), 0});
            for (const edits::Pattern& pattern : set.patterns)
                sets_[s]->bytes += static_cast<double>(pattern.text.size());
        }
    }

    void evaluate(std::span<const std::string_view> texts, std::span<const OperatorFamily::Pair> pairs,
                  std::span<std::uint8_t> holds, OperatorWork& work) override {
        family_.evaluate(texts, pairs, holds, work, this);
    }

private:
    struct Set {
        GpuPatternSet patterns;
        double bytes;  // of all patterns
    };

    void decide(std::size_t index, std::span<const std::string_view> texts, std::span<const edits::Pair> pairs,
                std::span<std::uint8_t> within, Counters& counters) override {
        const Compact asked(texts, pairs);
        if (weighted_[index]) return weighted_[index]->decide(asked.texts, asked.pairs, within, counters);
        GpuPatternSet& set = sets_[index]->patterns;
        if (!together(index, asked)) return set.decide(asked.texts, asked.pairs, within, counters);
        std::vector<edits::Pair> found;
        std::size_t i = 0;
        for_each_part(set, asked, [&](std::span<const std::string_view> part, std::uint32_t first) {
            found.clear();
            set.find(part, found, counters);
            auto next = found.begin();  // both ascend
            for (; i < asked.pairs.size() && asked.pairs[i].text < first + part.size(); ++i) {
                const edits::Pair pair{asked.pairs[i].text - first, asked.pairs[i].pattern};
                while (next != found.end() && *next < pair) ++next;
                within[i] = next != found.end() && *next == pair ? 1 : 0;
            }
        });
    }

    void distances(std::size_t index, std::span<const std::string_view> texts, std::span<const edits::Pair> pairs,
                   std::span<std::uint32_t> distances, Counters& counters) override {
        const Compact asked(texts, pairs);
        if (weighted_[index]) return weighted_[index]->distances(asked.texts, asked.pairs, distances, counters);
        GpuPatternSet& set = sets_[index]->patterns;
        if (!together(index, asked)) return set.distances(asked.texts, asked.pairs, distances, counters);
        std::vector<std::uint32_t> all;
        std::size_t i = 0;
        for_each_part(set, asked, [&](std::span<const std::string_view> part, std::uint32_t first) {
            all.resize(part.size() * set.size());
            set.distances(part, all, counters);
            for (; i < asked.pairs.size() && asked.pairs[i].text < first + part.size(); ++i)
                distances[i] = all[std::size_t{asked.pairs[i].text - first} * set.size() + asked.pairs[i].pattern];
        });
    }

    // Calls match(texts, index of the first) for parts of the texts that have at most results_max results each.
    template <class Match>
    static void for_each_part(const GpuPatternSet& set, const Compact& asked, Match match) {
        const std::size_t at_once = std::max<std::size_t>(1, results_max / set.size()), n = asked.texts.size();
        for (std::size_t first = 0; first < n; first += at_once) {
            match(std::span(asked.texts).subspan(first, std::min(at_once, n - first)),
                  static_cast<std::uint32_t>(first));
        }
    }

    // Whether comparing all patterns with all texts costs less than the requested pairs alone.
    bool together(std::size_t index, const Compact& asked) const {
        const auto& patterns = family_.description(index).patterns;
        const auto words = [&](const edits::Pair& pair) {
            return static_cast<double>(patterns[pair.pattern].text.size() / 32 + 1);
        };
        double cells = 0, longest = 0, bytes = 0;
        for (const edits::Pair& pair : asked.pairs) {
            const auto n = static_cast<double>(asked.texts[pair.text].size());
            cells += n * 32 * words(pair);
            longest = std::max(longest, n * words(pair));
        }
        for (const std::string_view text : asked.texts) bytes += static_cast<double>(text.size());
        const double results = static_cast<double>(asked.texts.size()) * static_cast<double>(patterns.size());
        const double alone_ns = std::max(longest * alone_ns_a_word, cells / alone_cells_a_ns);
        const double together_ns = bytes * sets_[index]->bytes / together_cells_a_ns + results / results_a_ns;
        return together_ns < alone_ns;
    }

    const EditsFamily& family_;
    std::vector<std::optional<Set>> sets_;  // [set]: one of the two
    std::vector<std::optional<edits::GpuWeightedSet>> weighted_;
};

}  // namespace

std::unique_ptr<DeviceFamily> make_cuda_family(const EditsFamily& family) {
    return std::make_unique<CudaEdits>(family);
}

}  // namespace sluice::operators
