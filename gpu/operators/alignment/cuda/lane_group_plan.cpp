#include "gpu/operators/alignment/cuda/lane_group_plan.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace sluice::alignment {

namespace {

using Shape = LaneGroupPlan::Shape;

// The available kernels, the smallest shape first.
constexpr Shape local_shapes[] = {{8, 16, false},  {8, 32, false},  {16, 24, false},
                                  {16, 32, false}, {32, 24, false}, {32, 32, false}};
constexpr Shape global_shapes[] = {{8, 32, false}, {32, 32, false}};
constexpr Shape wide_shapes[] = {{32, 16, true}};
constexpr unsigned threads_per_block = 256;

// The shape with the fewest instructions per row: 7.5 per column plus a constant 45.
Shape shape_for(std::span<const Shape> shapes, std::size_t length) {
    const auto cost = [&](const Shape& shape) {
        const std::size_t passes = std::max<std::size_t>(1, (length + shape.width() - 1) / shape.width());
        return passes * shape.group * (15 * shape.columns + 90);
    };
    return *std::min_element(shapes.begin(), shapes.end(),
                             [&](const Shape& a, const Shape& b) { return cost(a) < cost(b); });
}

// Whether no cell of a pair leaves the 16-bit range around the kernels' bias. Local scores may leave it; their pairs
// are computed again.
bool narrow_enough(const Scheme& scheme, Mode mode, std::size_t m, std::size_t n) {
    if (mode == Mode::local) return true;
    constexpr std::int64_t range = 16384 - 4 * score_max;
    return scheme.score_bound(m, n) < range && scheme.gap_cost(m) + scheme.gap_cost(n) < range;
}

// Indices of the pairs, sorted by text, then by rank. first[t] is the position of text t's first pair.
struct Order {
    std::vector<std::uint32_t> pairs, first;

    Order(std::span<const Pair> all, std::span<const std::uint32_t> ranks, std::size_t texts)
        : pairs(all.size()), first(texts + 1) {
        const auto before = [&](const Pair& a, const Pair& b) {
            return a.text != b.text ? a.text < b.text : ranks[a.query] < ranks[b.query];
        };
        std::iota(pairs.begin(), pairs.end(), 0);
        if (!std::is_sorted(all.begin(), all.end(), before)) {
            sort(ranks.size(), [&](std::uint32_t k) { return ranks[all[k].query]; });
            sort(texts, [&](std::uint32_t k) { return all[k].text; });
        }
        for (const Pair& pair : all) ++first[pair.text + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
    }

private:
    // A stable counting sort by a key below `keys`.
    template <class KeyOf>
    void sort(std::size_t keys, KeyOf key_of) {
        std::vector<std::uint32_t> next(keys + 1), sorted(pairs.size());
        for (const std::uint32_t k : pairs) ++next[key_of(k) + 1];
        std::partial_sum(next.begin(), next.end(), next.begin());
        for (const std::uint32_t k : pairs) sorted[next[key_of(k)]++] = k;
        pairs.swap(sorted);
    }
};

}  // namespace

LaneGroupPlan::LaneGroupPlan(const Scheme& scheme, Mode mode, const SequenceSet& queries,
                             std::span<const std::uint32_t> ranks, const SequenceSet& texts,
                             std::span<const Pair> pairs, bool wide) {
    std::vector<Shape> shapes(std::begin(wide_shapes), std::end(wide_shapes));
    const std::span<const Shape> narrow =
        mode == Mode::local ? std::span<const Shape>(local_shapes) : std::span<const Shape>(global_shapes);
    shapes.insert(shapes.end(), narrow.begin(), narrow.end());
    for (const Shape& shape : shapes) launches.push_back({shape, {}});
    items.reserve(pairs.size() / 2 + texts.size());
    const Order order(pairs, ranks, texts.size());
    for (std::uint32_t text = 0; text < texts.size(); ++text) {
        const std::size_t n = texts.length(text);
        const auto best = std::find(shapes.begin(), shapes.end(), shape_for(narrow, n)) - shapes.begin();
        const auto launch_of = [&](std::size_t m) -> Launch& {
            return launches[!wide && narrow_enough(scheme, mode, m, n) ? static_cast<std::size_t>(best) : 0];
        };
        const auto length_at = [&](std::size_t at) { return queries.length(pairs[order.pairs[at]].query); };
        const std::size_t last = order.first[text + 1];
        for (std::size_t next = order.first[text]; next < last;) {
            const std::size_t longest = length_at(next);
            Launch& launch = launch_of(longest);
            const std::size_t groups = threads_per_block / launch.shape.group, per_item = launch.shape.wide ? 1 : 2;
            LaneGroupChunk chunk{text, static_cast<std::uint32_t>(items.size()), 0,
                                 static_cast<std::uint32_t>(longest)};
            while (chunk.items < groups && next < last && &launch_of(length_at(next)) == &launch) {
                LaneGroupItem item{{LaneGroupItem::none, LaneGroupItem::none},
                                   {LaneGroupItem::none, LaneGroupItem::none}};
                for (std::size_t half = 0; half < per_item && next < last; ++half, ++next) {
                    const std::size_t m = length_at(next);
                    if (&launch_of(m) != &launch) break;
                    item.query[half] = pairs[order.pairs[next]].query;
                    item.out[half] = order.pairs[next];
                    cells += std::uint64_t{m} * n;
                }
                items.push_back(item);
                ++chunk.items;
            }
            launch.chunks.push_back(chunk);
        }
    }
    std::erase_if(launches, [](const Launch& launch) { return launch.chunks.empty(); });
    const auto longer = [](const LaneGroupChunk& a, const LaneGroupChunk& b) { return a.rows > b.rows; };
    for (auto& launch : launches) {
        if (!std::is_sorted(launch.chunks.begin(), launch.chunks.end(), longer))
            std::stable_sort(launch.chunks.begin(), launch.chunks.end(), longer);
    }
}

}  // namespace sluice::alignment
