// Alignments on a device: a LaneGroupAligner for each group of queries. Pairs worth spreading over the device go to a
// TwoWayAligner or, if it can't take them, to a WavefrontAligner.
#include <limits>
#include <optional>

#include "gpu/operators/alignment/cuda/lane_group_aligner.hpp"
#include "gpu/operators/alignment/cuda/two_way_aligner.hpp"
#include "gpu/operators/alignment/cuda/wavefront_aligner.hpp"
#include "gpu/operators/alignment/dispatch.hpp"
#include "gpu/operators/cuda_families.hpp"

namespace sluice::operators {

namespace {

using namespace alignment;

constexpr std::size_t letters_max = std::numeric_limits<std::uint32_t>::max();  // that LaneGroupAligner can address

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
        std::optional<LaneGroupAligner> many;   // none if there are too many letters
        std::optional<TwoWayAligner> clusters;  // this and the next are made when first needed
        std::optional<WavefrontAligner> strips;

        bool takes(const SequenceSet& texts) const { return many && texts.codes().size() <= letters_max; }
    };

    // Some of a call's pairs, and their indices in the call.
    template <class OnePair>
    struct Part {
        std::vector<OnePair> pairs;
        std::vector<std::size_t> places;

        void add(const OnePair& pair, std::size_t place) {
            pairs.push_back(pair);
            places.push_back(place);
        }
    };
    struct Parts {
        Part<alignment::Pair> many;
        Part<SequencePair> spread;
    };

    static Parts divide(const Group& group, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                        std::span<const std::uint8_t> is_spread) {
        Parts parts;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (is_spread[i] != 0)
                parts.spread.add({group.of.queries[pairs[i].query], texts[pairs[i].text]}, i);
            else
                parts.many.add(pairs[i], i);
        }
        return parts;
    }

    bool fits_cluster(const Group& group, const SequencePair& pair) {
        if (!has_clusters_) has_clusters_ = TwoWayAligner::available();
        return *has_clusters_ && TwoWayAligner::fits(group.of.scheme, group.of.mode, pair.query, pair.text);
    }

    // Calls found(place, score) for each pair, with a score as WavefrontAligner::align() defines it.
    template <class Found>
    void spread(Group& group, const Part<SequencePair>& part, Found found) {
        Part<SequencePair> by_clusters, by_strips;
        for (std::size_t i = 0; i < part.pairs.size(); ++i) {
            const SequencePair& pair = part.pairs[i];
            const Spread how = spread_of(pair.text, part.pairs.size(), 1, [&] { return fits_cluster(group, pair); });
            (how == Spread::clusters ? by_clusters : by_strips).add(pair, part.places[i]);
        }
        if (!by_clusters.pairs.empty()) {
            if (!group.clusters) group.clusters.emplace(group.of.scheme);
            const std::vector<std::int32_t> scores = group.clusters->scores(by_clusters.pairs);
            for (std::size_t i = 0; i < scores.size(); ++i) found(by_clusters.places[i], scores[i]);
        }
        if (!by_strips.pairs.empty()) {
            if (!group.strips) group.strips.emplace(group.of.scheme);
            const std::vector<EndPoint> ends = group.strips->align(group.of.mode, by_strips.pairs);
            for (std::size_t i = 0; i < ends.size(); ++i) found(by_strips.places[i], ends[i].score);
        }
    }

    void scores(std::size_t index, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                std::span<std::int32_t> scores) override {
        Group& group = groups_[index];
        const AlignmentFamily::Group& of = group.of;
        if (!group.takes(texts)) return align_many(of.scheme, of.mode, of.queries, texts, pairs, scores);
        const std::vector<std::uint8_t> is_spread = spread_over_device(of.queries, texts, pairs);
        if (is_spread.empty()) return group.many->align(of.mode, texts, pairs, scores);
        const Parts parts = divide(group, texts, pairs, is_spread);
        std::vector<std::int32_t> some(parts.many.pairs.size());
        group.many->align(of.mode, texts, parts.many.pairs, some);
        for (std::size_t i = 0; i < some.size(); ++i) scores[parts.many.places[i]] = some[i];
        spread(group, parts.spread, [&](std::size_t place, std::int32_t score) { scores[place] = score; });
    }

    void reaches(std::size_t index, const SequenceSet& texts, std::span<const alignment::Pair> pairs,
                 std::span<const std::int32_t> thresholds, std::span<std::uint8_t> hits) override {
        Group& group = groups_[index];
        const AlignmentFamily::Group& of = group.of;
        if (!group.takes(texts)) return align_reaches(of.scheme, of.mode, of.queries, texts, pairs, thresholds, hits);
        const std::vector<std::uint8_t> is_spread = spread_over_device(of.queries, texts, pairs);
        if (is_spread.empty()) return group.many->reaches(of.mode, texts, pairs, thresholds, hits);
        const Parts parts = divide(group, texts, pairs, is_spread);
        std::vector<std::int32_t> needed;
        for (const std::size_t place : parts.many.places) needed.push_back(thresholds[place]);
        std::vector<std::uint8_t> some(needed.size());
        group.many->reaches(of.mode, texts, parts.many.pairs, needed, some);
        for (std::size_t i = 0; i < some.size(); ++i) hits[parts.many.places[i]] = some[i];

        // Pairs decided by their lengths are not aligned at all. A local alignment stops once it is decided.
        Part<SequencePair> undecided;
        for (std::size_t i = 0; i < parts.spread.pairs.size(); ++i) {
            SequencePair pair = parts.spread.pairs[i];
            const std::size_t place = parts.spread.places[i];
            const std::int32_t t = thresholds[place];
            const auto known = reaches_by_lengths(of.scheme, of.mode, pair.query.size(), pair.text.size(), t);
            hits[place] = known.value_or(false);
            if (known) continue;
            if (of.mode == Mode::local) pair.known_below = t - 1, pair.stop_at = t;
            undecided.add(pair, place);
        }
        spread(group, undecided,
               [&](std::size_t place, std::int32_t score) { hits[place] = score >= thresholds[place]; });
    }

    const AlignmentFamily& family_;
    std::vector<Group> groups_;
    std::optional<bool> has_clusters_;  // queried when first needed
};

}  // namespace

std::unique_ptr<DeviceFamily> make_cuda_family(const AlignmentFamily& family) {
    return std::make_unique<CudaAlignment>(family);
}

}  // namespace sluice::operators
