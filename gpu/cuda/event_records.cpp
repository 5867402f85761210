#include "gpu/cuda/event_records.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace sluice::cuda {

namespace {

AttributeNeeds needs_of(std::span<const std::span<const AttributeNeeds>> needs, std::uint32_t attribute) {
    if (needs.size() == 1) return attribute < needs[0].size() ? needs[0][attribute] : AttributeNeeds{};
    AttributeNeeds all;
    for (const auto& list : needs) {
        if (attribute < list.size()) all.merge(list[attribute]);
    }
    return all;
}

class Packer {
public:
    explicit Packer(const PackedBatch& to) : to_(to) {}

    // The values of one attribute.
    void add(std::span<const Value> values, const AttributeNeeds& needs) {
        if (values.size() == 1) {
            const Value& v = values.front();
            std::uint32_t uses = EventRecord::begins;
            if (!std::isnan(v.number)) {
                if (needs.number) uses |= EventRecord::look_up_number | EventRecord::only_number;
                if (needs.range) uses |= EventRecord::range;
            }
            if (needs.text && v.text.size() <= needs.text_bytes_max)
                uses |= EventRecord::look_up_text | EventRecord::only_text;
            push(v, uses);
        } else {
            add_several(values, needs);
        }
    }
    PackedSize size() const { return size_; }

private:
    void add_several(std::span<const Value> values, const AttributeNeeds& needs) {
        double least = std::numeric_limits<double>::infinity(), greatest = -least;
        bool any = false, any_nan = false, same_text = true;
        for (const Value& v : values) {
            any_nan |= std::isnan(v.number);
            any |= !std::isnan(v.number);
            if (v.number < least) least = v.number;
            if (v.number > greatest) greatest = v.number;
            same_text &= v.text == values.front().text;
        }
        std::uint32_t first = EventRecord::begins;
        if (same_text && needs.text && values.front().text.size() <= needs.text_bytes_max)
            first |= EventRecord::only_text;
        if (any && !any_nan && least == greatest && needs.number) first |= EventRecord::only_number;
        for (const Value& v : values) {
            std::uint32_t uses = std::exchange(first, 0);
            if (needs.number && !std::isnan(v.number)) uses |= EventRecord::look_up_number;
            if (needs.text && v.text.size() <= needs.text_bytes_max) uses |= EventRecord::look_up_text;
            if (uses != 0) push(v, uses);
        }
        if (!any || !needs.range) return;
        const auto bits = std::bit_cast<std::uint64_t>(greatest);
        to_.records[size_.records++] = {values.front().attribute, EventRecord::range, static_cast<std::uint32_t>(bits),
                                        static_cast<std::uint32_t>(bits >> 32), least};
    }

    void push(const Value& v, std::uint32_t uses) {
        const auto size = static_cast<std::uint32_t>(v.text.size());
        to_.records[size_.records++] = {v.attribute, uses, static_cast<std::uint32_t>(size_.text_words), size,
                                        v.number};
        if ((uses & (EventRecord::look_up_text | EventRecord::only_text)) == 0 || size == 0) return;
        const std::size_t words = (size + 7) / 8;
        std::uint64_t* const to = to_.text + size_.text_words;
        to[words - 1] = 0;
        std::memcpy(to, v.text.data(), size);
        size_.text_words += words;
    }

    PackedBatch to_;
    PackedSize size_;
};

}  // namespace

void AttributeNeeds::merge(const AttributeNeeds& other) {
    text_bytes_max = std::max(text_bytes_max, other.text_bytes_max);
    text |= other.text;
    number |= other.number;
    range |= other.range;
    known |= other.known;
}

PackedSize packed_bound(const EventBatch& batch) {
    PackedSize size{2 * batch.values.size(), 0};
    for (const Value& v : batch.values) size.text_words += (v.text.size() + 7) / 8;
    return size;
}

PackedSize pack(const EventBatch& batch, std::span<const std::span<const AttributeNeeds>> needs,
                const PackedBatch& to) {
    Packer packer(to);
    for (std::size_t e = 0; e < batch.size(); ++e) {
        to.first[e] = static_cast<std::uint32_t>(packer.size().records);
        const std::span<const Value> event = batch.event(e);
        for (std::size_t i = 0, end = 0; i < event.size(); i = end) {
            const std::uint32_t attribute = event[i].attribute;
            while (end < event.size() && event[end].attribute == attribute) ++end;
            const AttributeNeeds n = needs_of(needs, attribute);
            if (n.known) packer.add(event.subspan(i, end - i), n);
        }
    }
    to.first[batch.size()] = static_cast<std::uint32_t>(packer.size().records);
    return packer.size();
}

}  // namespace sluice::cuda
