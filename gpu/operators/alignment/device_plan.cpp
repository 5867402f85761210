#include <algorithm>
#include <array>

#include "gpu/operators/alignment/device_many.hpp"

namespace sluice::alignment {

namespace {

using Shape = DevicePlan::Shape;

// The kernels there are, narrow ones first.
constexpr Shape local_shapes[] = {{8, 16, false},  {8, 32, false},  {16, 24, false},
                                  {16, 32, false}, {32, 24, false}, {32, 32, false}};
constexpr Shape global_shapes[] = {{8, 32, false}, {32, 32, false}};
constexpr Shape wide_shapes[] = {{32, 16, true}};
constexpr unsigned threads_per_block = 256;

// The shape that takes the fewest instructions a row: 7.5 a column and 45 whatever the columns.
Shape shape_for(std::span<const Shape> shapes, std::size_t length) {
    const auto cost = [&](const Shape& shape) {
        const std::size_t passes = std::max<std::size_t>(1, (length + shape.width() - 1) / shape.width());
        return passes * shape.group * (15 * shape.columns + 90);
    };
    return *std::min_element(shapes.begin(), shapes.end(),
                             [&](const Shape& a, const Shape& b) { return cost(a) < cost(b); });
}

// Whether no cell of a pair leaves the range of 16 bits around the bias of the kernels. Local scores may: they are done
// again.
bool narrow_enough(const Scheme& scheme, Mode mode, std::size_t m, std::size_t n) {
    if (mode == Mode::local) return true;
    constexpr std::int64_t range = 16384 - 4 * score_max;
    return scheme.score_bound(m, n) < range && scheme.gap_cost(m) + scheme.gap_cost(n) < range;
}

struct Key {
    std::size_t shape;
    std::uint32_t text;
    std::size_t length;
    std::uint32_t pair;

    bool operator<(const Key& other) const {
        if (shape != other.shape) return shape < other.shape;
        if (text != other.text) return text < other.text;
        return length != other.length ? length > other.length : pair < other.pair;
    }
};

}  // namespace

DevicePlan::DevicePlan(const Scheme& scheme, Mode mode, const SequenceSet& queries, const SequenceSet& texts,
                       std::span<const Pair> pairs, bool wide) {
    std::vector<Shape> shapes(std::begin(wide_shapes), std::end(wide_shapes));
    const std::span<const Shape> narrow =
        mode == Mode::local ? std::span<const Shape>(local_shapes) : std::span<const Shape>(global_shapes);
    shapes.insert(shapes.end(), narrow.begin(), narrow.end());
    std::vector<std::size_t> shape_of_text(texts.size());
    for (std::size_t t = 0; t < texts.size(); ++t) {
        const Shape shape = shape_for(narrow, texts.length(t));
        shape_of_text[t] = static_cast<std::size_t>(std::find(shapes.begin(), shapes.end(), shape) - shapes.begin());
    }
    std::vector<Key> keys(pairs.size());
    for (std::uint32_t k = 0; k < pairs.size(); ++k) {
        const std::size_t m = queries.length(pairs[k].query), n = texts.length(pairs[k].text);
        const bool fits = !wide && narrow_enough(scheme, mode, m, n);
        keys[k] = {fits ? shape_of_text[pairs[k].text] : 0, pairs[k].text, m, k};
        cells += std::uint64_t{m} * n;
    }
    if (!std::is_sorted(keys.begin(), keys.end())) std::sort(keys.begin(), keys.end());

    for (std::size_t first = 0; first < keys.size();) {
        const Key& key = keys[first];
        const Shape& shape = shapes[key.shape];
        if (launches.empty() || launches.back().shape != shape) launches.push_back({shape, {}});
        const std::size_t groups = threads_per_block / shape.group, per_item = shape.wide ? 1 : 2;
        DeviceChunk chunk{key.text, static_cast<std::uint32_t>(items.size()), 0,
                          static_cast<std::uint32_t>(key.length)};
        std::size_t next = first;
        while (chunk.items < groups && next < keys.size() && keys[next].shape == key.shape &&
               keys[next].text == key.text) {
            DeviceItem item{{DeviceItem::none, DeviceItem::none}, {DeviceItem::none, DeviceItem::none}};
            for (std::size_t half = 0; half < per_item && next < keys.size(); ++half) {
                if (keys[next].shape != key.shape || keys[next].text != key.text) break;
                item.query[half] = pairs[keys[next].pair].query;
                item.out[half] = keys[next].pair;
                ++next;
            }
            items.push_back(item);
            ++chunk.items;
        }
        launches.back().chunks.push_back(chunk);
        first = next;
    }
    for (auto& launch : launches) {
        std::stable_sort(launch.chunks.begin(), launch.chunks.end(),
                         [](const DeviceChunk& a, const DeviceChunk& b) { return a.rows > b.rows; });
    }
}

}  // namespace sluice::alignment
