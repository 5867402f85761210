// A batch as the look-up kernel reads it: for each event the records of those values that some copied segment has a use
// for, and their texts. Packed on the host in one pass over the batch, some 2 ns a value; the host says what is cheap
// to say there (which value is its attribute's only one, the least and greatest of several numbers). Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/event_batch.hpp"

namespace sluice::cuda {

struct EventRecord {
    enum Use : std::uint32_t {
        begins = 1,        // it is the first record of its attribute
        look_up_text = 2,  // among the operands of the attribute
        look_up_number = 4,
        only_text = 8,     // all values of the attribute have this text
        only_number = 16,  // all values of the attribute have this number
        range = 32,        // the number is to be located among the bounds of the attribute
    };

    std::uint32_t attribute;  // name id
    std::uint32_t uses;
    // Of the text: its first 8-byte word (the last one is padded with zeros) and its bytes. Of a record that is `range`
    // and nothing else, whose number is the least of several, the two are the low and high word of the greatest.
    std::uint32_t offset, size;
    double number;
};
static_assert(sizeof(EventRecord) == 24);

// What a segment's copy wants to know of an attribute's values.
struct AttributeNeeds {
    static constexpr std::uint32_t all = 0x7fffffff;
    std::uint32_t text_bytes_max = 0;  // texts that are longer are not looked up; 0: none is, not even an empty one
    bool text = false, number = false, range = false, known = false;
};

// What is packed of the values of each attribute: what all copies of a batch want to know of it.
class PackPlan {
public:
    PackPlan() = default;
    // `needs`: of each copied segment, by name id; names after the last are not known to it.
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

// Where the packed batch goes: memory of the slot that matches it, each with room for what bound() says.
struct PackedBatch {
    std::uint32_t* first;  // records of event e: first[e] … first[e + 1]
    EventRecord* records;
    std::uint64_t* text;
};
struct PackedSize {
    std::size_t records = 0, text_words = 0;
};

// At most so much.
PackedSize packed_bound(const EventBatch& batch, const PackPlan& plan);
PackedSize pack(const EventBatch& batch, const PackPlan& plan, const PackedBatch& to);

}  // namespace sluice::cuda
