// Alignments on a device: a DeviceMany for each group of queries; for pairs that deserve it, a DeviceMiddle or, where
// that can't take them, a DeviceLong.
#include <algorithm>
#include <limits>
#include <optional>

#include "gpu/operators/alignment/device_long.hpp"
#include "gpu/operators/alignment/device_many.hpp"
#include "gpu/operators/alignment/device_middle.hpp"
#include "gpu/operators/cuda_families.hpp"

namespace sluice {

namespace {

using namespace alignment;

// Pairs of so many cells are spread over the device, side by side, unless there are many: 64 of 1,024 x 1,024 take 0.2
// ms so and 1.8 ms with DeviceMany, which takes as long for some hundred. Of very few, clusters take two thirds of the
// time of strips. Pairs that are far from square are always spread, since the edges between the passes of DeviceMany
// would need much memory.
constexpr std::uint64_t single_cells_min = std::uint64_t{1} << 20;
constexpr std::ptrdiff_t single_pairs_max = 256;
constexpr std::size_t cluster_pairs_max = 16;
constexpr std::size_t rows_max = 1u << 16, one_pass_columns = 1024;
constexpr std::size_t letters_max = std::numeric_limits<std::uint32_t>::max();  // that DeviceMany can address

class CudaAlignment final : public DeviceFamily, private AlignmentSolver {
public:
    explicit CudaAlignment(const AlignmentFamily& family) : family_(family) {
        for (const AlignmentFamily::Group& group : family.groups()) {
            groups_.push_back({group, {}, {}, {}});
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
        std::optional<DeviceMany> many;      // none: there are too many letters
        std::optional<DeviceMiddle> middle;  // made when it is needed, as the next
        std::optional<DeviceLong> strips;

        bool none_is_large(const SequenceSet& texts) const {
            return std::uint64_t{of.queries.longest()} * texts.longest() < single_cells_min;
        }
        bool takes(const SequenceSet& texts) const { return many && texts.codes().size() <= letters_max; }
    };

    // Some of a call's pairs, and where they stand there.
    struct Part {
        std::vector<alignment::Pair> pairs;
        std::vector<std::size_t> places;

        void add(const alignment::Pair& pair, std::size_t place) {
            pairs.push_back(pair);
            places.push_back(place);
        }
    };
    struct Parts {
        Part many, single;
    };

    bool fits_cluster(const Group& group, Codes query, Codes text) {
        if (!has_clusters_) has_clusters_ = DeviceMiddle::available();
        return *has_clusters_ && DeviceMiddle::fits(group.of.scheme, group.of.mode, query, text);
    }

    Parts divide(const Group& group, const SequenceSet& texts, std::span<const alignment::Pair> pairs) {
        std::vector<std::uint8_t> is_large(pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const Codes query = group.of.queries[pairs[i].query], text = texts[pairs[i].text];
            const std::uint64_t cells = std::uint64_t{query.size()} * text.size();
            if (cells >= single_cells_min) is_large[i] = 1;
        }
        const bool few = std::count(is_large.begin(), is_large.end(), 1) <= single_pairs_max;
        Parts parts;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const bool is_far_from_square =
                group.of.queries.length(pairs[i].query) > rows_max && texts.length(pairs[i].text) > one_pass_columns;
            const bool is_single = is_large[i] != 0 && (few || is_far_from_square);
            (is_single ? parts.single : parts.many).add(pairs[i], i);
        }
        return parts;
    }

    // As DeviceLong::align() defines them.
    std::vector<std::int32_t> single_scores(Group& group, std::span<const LongPair> pairs) {
        std::vector<LongPair> by_clusters, by_strips;
        std::vector<std::uint8_t> is_by_cluster;
        for (const LongPair& pair : pairs) {
            const bool by_cluster = pairs.size() <= cluster_pairs_max && fits_cluster(group, pair.query, pair.text);
            is_by_cluster.push_back(by_cluster ? 1 : 0);
            (is_by_cluster.back() != 0 ? by_clusters : by_strips).push_back(pair);
        }
        std::vector<std::int32_t> of_clusters;
        std::vector<EndPoint> of_strips;
        if (!by_clusters.empty()) {
            if (!group.middle) group.middle.emplace(group.of.scheme);
            of_clusters = group.middle->scores(by_clusters);
        }
        if (!by_strips.empty()) {
            if (!group.strips) group.strips.emplace(group.of.scheme);
            of_strips = group.strips->align(group.of.mode, by_strips);
        }
        std::vector<std::int32_t> scores;
        std::size_t clusters = 0, strips = 0;
        for (const bool by_cluster : is_by_cluster)
            scores.push_back(by_cluster ? of_clusters[clusters++] : of_strips[strips++].score);
        return scores;
    }

    void scores(std::size_t index, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                std::span<std::int32_t> scores) override {
        Group& group = groups_[index];
        const AlignmentFamily::Group& of = group.of;
        if (!group.takes(texts)) return align_many(of.scheme, of.mode, of.queries, texts, pairs, scores);
        if (group.none_is_large(texts)) return group.many->align(of.mode, texts, pairs, scores);
        const Parts parts = divide(group, texts, pairs);
        std::vector<std::int32_t> some(parts.many.pairs.size());
        group.many->align(of.mode, texts, parts.many.pairs, some);
        for (std::size_t i = 0; i < some.size(); ++i) scores[parts.many.places[i]] = some[i];
        std::vector<LongPair> single;
        for (const alignment::Pair& pair : parts.single.pairs)
            single.push_back({of.queries[pair.query], texts[pair.text]});
        const std::vector<std::int32_t> found = single_scores(group, single);
        for (std::size_t i = 0; i < found.size(); ++i) scores[parts.single.places[i]] = found[i];
    }

    void reaches(std::size_t index, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                 std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits) override {
        Group& group = groups_[index];
        const AlignmentFamily::Group& of = group.of;
        if (!group.takes(texts)) return align_reaches(of.scheme, of.mode, of.queries, texts, pairs, thresholds, hits);
        if (group.none_is_large(texts)) return group.many->reaches(of.mode, texts, pairs, thresholds, hits);
        const Parts parts = divide(group, texts, pairs);
        std::vector<std::int32_t> needed;
        for (const std::size_t place : parts.many.places) needed.push_back(thresholds[place]);
        std::vector<std::uint8_t> some(needed.size());
        group.many->reaches(of.mode, texts, parts.many.pairs, needed, some);
        for (std::size_t i = 0; i < some.size(); ++i) hits[parts.many.places[i]] = some[i];
        decide_single(group, texts, parts.single, thresholds, hits);
    }

    // What lengths alone decide is not aligned at all; of local alignments no more than decides them.
    void decide_single(Group& group, const SequenceSet& texts, const Part& part,
                       std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits) {
        const AlignmentFamily::Group& of = group.of;
        const bool local = of.mode == Mode::local;
        std::vector<LongPair> undecided;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < part.pairs.size(); ++i) {
            const Codes query = of.queries[part.pairs[i].query], text = texts[part.pairs[i].text];
            const std::int32_t t = thresholds[part.places[i]];
            hits[part.places[i]] = local && t <= 0 ? 1 : 0;
            if ((local && t <= 0) || of.scheme.score_bound(query.size(), text.size()) < t) continue;
            undecided.push_back({query, text});
            if (local) undecided.back().known_below = t - 1, undecided.back().stop_at = t;
            places.push_back(part.places[i]);
        }
        const std::vector<std::int32_t> found = single_scores(group, undecided);
        for (std::size_t i = 0; i < found.size(); ++i) hits[places[i]] = found[i] >= thresholds[places[i]] ? 1 : 0;
    }

    const AlignmentFamily& family_;
    std::vector<Group> groups_;
    std::optional<bool> has_clusters_;  // asked when it is needed
};

}  // namespace

std::unique_ptr<DeviceFamily> make_cuda_family(const AlignmentFamily& family) {
    return std::make_unique<CudaAlignment>(family);
}

}  // namespace sluice
