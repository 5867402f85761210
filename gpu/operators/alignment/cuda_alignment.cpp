// Alignments on a device: a DeviceMany for each group of queries, and a DeviceLong for pairs that deserve one.
#include <limits>
#include <optional>

#include "gpu/operators/alignment/device_long.hpp"
#include "gpu/operators/alignment/device_many.hpp"
#include "gpu/operators/cuda_families.hpp"

namespace sluice {

namespace {

using namespace alignment;

// Few pairs of so many cells get the whole device one after the other; pairs that are far from square always do, since
// the edges between the passes of DeviceMany would need much memory.
constexpr std::uint64_t long_cells_min = std::uint64_t{1} << 26;
constexpr std::size_t long_pairs_max = 32, rows_max = 1u << 16, one_pass_columns = 1024;
constexpr std::size_t letters_max = std::numeric_limits<std::uint32_t>::max();  // that DeviceMany can address

class CudaAlignment final : public DeviceFamily, private AlignmentSolver {
public:
    explicit CudaAlignment(const AlignmentFamily& family) : family_(family) {
        for (const AlignmentFamily::Group& group : family.groups()) {
            groups_.push_back({group, {}, {}});
            if (group.queries.codes().size() > letters_max) continue;
            groups_.back().many.emplace(group.scheme).set_queries(group.queries);
        }
    }

    void evaluate(std::span<const std::string_view> texts, std::span<const OperatorFamily::Pair> pairs,
                  std::span<std::uint8_t> holds, OperatorWork& work) override {
        family_.evaluate(texts, pairs, holds, work, this);
    }

private:
    struct Group {
        const AlignmentFamily::Group& of;
        std::optional<DeviceMany> many;    // none: there are too many letters
        std::optional<DeviceLong> single;  // made when it is needed

        std::uint64_t cells(const SequenceSet& texts, const alignment::Pair& pair) const {
            return std::uint64_t{of.queries.length(pair.query)} * texts.length(pair.text);
        }
        EndPoint align(const SequenceSet& texts, const alignment::Pair& pair, const LongOptions& options) {
            if (!single) single.emplace(of.scheme);
            return single->align(of.mode, of.queries[pair.query], texts[pair.text], options);
        }
    };

    void scores(std::size_t index, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                std::span<std::int32_t> scores) override {
        Group& group = groups_[index];
        if (!group.many || texts.codes().size() > letters_max)
            return align_many(group.of.scheme, group.of.mode, group.of.queries, texts, pairs, scores);
        const std::vector<std::uint8_t> is_long = long_ones(group, texts, pairs);
        std::vector<alignment::Pair> others;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (is_long[i] != 0) {
                scores[i] = group.align(texts, pairs[i], {}).score;
            } else {
                others.push_back(pairs[i]);
                places.push_back(i);
            }
        }
        align_together(group, texts, others, [&](std::size_t i, std::int32_t score) { scores[places[i]] = score; });
    }

    // What lengths alone decide is not aligned at all.
    void reaches(std::size_t index, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                 std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits) override {
        Group& group = groups_[index];
        const AlignmentFamily::Group& of = group.of;
        if (!group.many || texts.codes().size() > letters_max)
            return align_reaches(of.scheme, of.mode, of.queries, texts, pairs, thresholds, hits);
        const bool local = of.mode == Mode::local;
        const std::vector<std::uint8_t> is_long = long_ones(group, texts, pairs);
        std::vector<alignment::Pair> others;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const std::int32_t t = thresholds[i];
            const std::size_t m = of.queries.length(pairs[i].query), n = texts.length(pairs[i].text);
            hits[i] = local && t <= 0 ? 1 : 0;
            if ((local && t <= 0) || of.scheme.score_bound(m, n) < t) continue;
            if (is_long[i] != 0) {
                const LongOptions options = local ? LongOptions{.known_below = t - 1, .stop_at = t} : LongOptions{};
                hits[i] = group.align(texts, pairs[i], options).score >= t ? 1 : 0;
            } else {
                others.push_back(pairs[i]);
                places.push_back(i);
            }
        }
        align_together(group, texts, others, [&](std::size_t i, std::int32_t score) {
            hits[places[i]] = score >= thresholds[places[i]] ? 1 : 0;
        });
    }

    template <class Each>
    static void align_together(Group& group, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                               Each each) {
        std::vector<std::int32_t> scores(pairs.size());
        group.many->align(group.of.mode, texts, pairs, scores);
        for (std::size_t i = 0; i < scores.size(); ++i) each(i, scores[i]);
    }

    // By pair.
    static std::vector<std::uint8_t> long_ones(const Group& group, const SequenceSet& texts,
                                               std::span<const alignment::Pair> pairs) {
        std::vector<std::uint8_t> result(pairs.size());
        std::size_t count = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            result[i] = group.cells(texts, pairs[i]) >= long_cells_min ? 1 : 0;
            count += result[i];
        }
        if (count <= long_pairs_max) return result;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            result[i] =
                group.of.queries.length(pairs[i].query) > rows_max && texts.length(pairs[i].text) > one_pass_columns
                    ? 1
                    : 0;
        }
        return result;
    }

    const AlignmentFamily& family_;
    std::vector<Group> groups_;
};

}  // namespace

std::unique_ptr<DeviceFamily> make_cuda_family(const AlignmentFamily& family) {
    return std::make_unique<CudaAlignment>(family);
}

}  // namespace sluice
