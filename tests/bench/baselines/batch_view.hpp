// A batch of events as kernels read it: the values event by event, and an index of them by attribute, so that a literal
// reads only its attribute's values. One block of memory, laid out by BatchLayout, filled on the host by pack() and
// copied as a whole; a BatchView points into the copy. The layout may have more room than a batch needs, so that one
// layout (and one graph) serves many batches. Views are plain values; a packed block belongs to its creator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/api/event_batch.hpp"

namespace sluice::bench {

struct TextRef {
    std::uint32_t offset = 0, size = 0;  // bytes offset … offset + size - 1 of BatchView::bytes
};

// A value in the index by attribute. Its number is repeated here, so that comparing it takes no further read.
struct alignas(16) IndexedValue {
    double number = 0;
    std::uint32_t value = 0;      // its place in the arrays by event
    std::uint32_t event_bit = 0;  // 1 << event % 32
};

struct BatchView {
    std::uint32_t words = 0;       // room for 32 * words events; missing events have no values
    std::uint32_t attributes = 0;  // ids below this are indexed; values of other attributes are left out of the batch
    const std::uint32_t* valid = nullptr;  // valid[w]: bit e says that event 32 * w + e exists

    // By event: the values of event e are first[e] … first[e + 1] - 1 (32 * words + 1 numbers), as in EventBatch.
    const std::uint32_t* first = nullptr;
    const std::uint32_t* attribute = nullptr;
    const double* number = nullptr;
    const std::uint64_t* hash = nullptr;  // hash_bytes(text, 0) of gpu/tables/hash.hpp
    const TextRef* text = nullptr;
    const char* bytes = nullptr;

    // By attribute: the values of attribute a in word w are by_attribute[i] for i in
    // attribute_first[w * attributes + a] … attribute_first[w * attributes + a + 1] - 1, event by event.
    const std::uint32_t* attribute_first = nullptr;
    const IndexedValue* by_attribute = nullptr;
};

// The places of the parts of a packed batch, for up to `events` events with `values` values and `text_bytes` bytes of
// text in all. Offsets are in bytes from the start of the block, each a multiple of 16.
struct BatchLayout {
    static constexpr std::size_t values_max = std::size_t{1} << 27;

    BatchLayout() = default;
    BatchLayout(std::size_t events, std::size_t values, std::size_t text_bytes, std::size_t attributes);
    // Just enough for this batch.
    BatchLayout(const engine::EventBatch& batch, std::size_t attributes);

    BatchView view(const std::byte* base) const;
    // Whether the batch can be packed into this layout.
    bool fits(const engine::EventBatch& batch) const;

    std::size_t words = 0, values = 0, text_bytes = 0, attributes = 0;
    std::size_t valid = 0, first = 0, attribute_first = 0, by_attribute = 0, attribute = 0, text = 0, number = 0,
                hash = 0, chars = 0;
    std::size_t bytes = 0;  // of the block
};

// Writes the batch to `to`, which has layout.bytes bytes, aligned to 16. Requires layout.fits(batch). Returns how many
// bytes from the start must be copied to the device; the rest is room that this batch does not need.
std::size_t pack(const engine::EventBatch& batch, const BatchLayout& layout, std::byte* to);

}  // namespace sluice::bench
