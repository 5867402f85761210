// A batch as the access kernel reads it: for each event the records of the values that some copied segment uses, and
// their texts. Packed on the host in one pass over the batch, some 2 ns per value. The host adds what is cheap to find
// there: which value is its attribute's only one, and the least and greatest of several numbers. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/api/event_batch.hpp"

namespace sluice::cuda {

struct EventRecord {
    enum Use : std::uint32_t {
        begins = 1,        // the first record of its attribute
        look_up_text = 2,  // among the operands of the attribute
        look_up_number = 4,
        only_text = 8,     // all values of the attribute have this text
        only_number = 16,  // all values of the attribute have this number
        range = 32,        // locate the number among the bounds of the attribute
    };

    std::uint32_t attribute;  // name id
    std::uint32_t uses;
    // The text: its first 8-byte word (the last one is padded with zeros) and its length in bytes. If `uses` is only
    // `range`, `number` is the least of several numbers, and these two are the low and high words of the greatest.
    std::uint32_t offset, size;
    double number;
};
static_assert(sizeof(EventRecord) == 24);

// What a segment's copy needs to know of an attribute's values.
struct AttributeNeeds {
    static constexpr std::uint32_t all = 0x7fffffff;
    std::uint32_t text_bytes_max = 0;  // longer texts are not looked up; 0: no text is, not even an empty one
    bool text = false, number = false, range = false, known = false;
};

// The values of each attribute to pack: the union of the needs of all copies.
class PackPlan {
public:
    PackPlan() = default;
    // `needs`: for each copied segment, by name id; the segment does not know later names.
    explicit PackPlan(std::span<const std::span<const AttributeNeeds>> needs);

    struct Uses {
        std::uint32_t of_number = 0, of_text = 0;  // EventRecord::Use of an attribute's only value
        std::uint32_t text_bytes_max = 0;
        bool known = false;
    };
    const Uses* begin() const { return uses_.data(); }
    std::size_t size() const { return uses_.size(); }
    bool has_texts() const { return has_texts_; }

private:
    std::vector<Uses> uses_;
    bool has_texts_ = false;
};

// The destination of the packed batch: memory of its slot, with room for packed_bound().
struct PackedBatch {
    std::uint32_t* first;  // records of event e: first[e] … first[e + 1]
    EventRecord* records;
    std::uint64_t* text;
    bool is_streamed = false;  // long texts are copied past the caches (gpu/simd/streaming_copy.hpp)
};
struct PackedSize {
    std::size_t records = 0, text_words = 0;
};

// Each event gets its own copy of the values that it shares with others (EventBatch::groups). Returns false if the
// copies would be so large that the batch is better matched without a device.
constexpr std::size_t shared_bytes_max = 1u << 20;
bool is_worth_packing(const engine::EventBatch& batch);

// An upper bound of the packed size.
PackedSize packed_bound(const engine::EventBatch& batch, const PackPlan& plan);
PackedSize pack(const engine::EventBatch& batch, const PackPlan& plan, const PackedBatch& to);

// Packs the events from `begin` on, after those before it, which take `size`, until there are this many with this much
// text. Adds what they take to `size`, and returns the event after them. So a device can begin before all is packed.
struct PartSize {
    std::size_t events = 0, text_words = 0;
};
std::size_t pack_part(const engine::EventBatch& batch, const PackPlan& plan, const PackedBatch& to, std::size_t begin,
                      const PartSize& least, PackedSize& size);

}  // namespace sluice::cuda
