#include "tests/bench/baselines/batch_view.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "gpu/tables/hash.hpp"

namespace sluice::bench {

namespace {

std::size_t text_bytes_of(const engine::EventBatch& batch) {
    std::size_t bytes = 0;
    for (const engine::Value& v : batch.values) bytes += v.text.size();
    return bytes;
}

template <class T>
T* at(std::byte* base, std::size_t offset) {
    return reinterpret_cast<T*>(base + offset);
}

// Counting sort of each word's values by attribute.
void index_by_attribute(const BatchLayout& layout, std::byte* to) {
    const auto* first = at<const std::uint32_t>(to, layout.first);
    const auto* attribute = at<const std::uint32_t>(to, layout.attribute);
    auto* begins = at<std::uint32_t>(to, layout.attribute_first);
    const auto* number = at<const double>(to, layout.number);
    auto* by_attribute = at<IndexedValue>(to, layout.by_attribute);
    const std::size_t attributes = layout.attributes;
    std::fill_n(begins, layout.words * attributes + 1, 0u);
    for (std::size_t w = 0; w < layout.words; ++w) {
        for (std::uint32_t v = first[32 * w]; v < first[32 * w + 32]; ++v) ++begins[w * attributes + attribute[v] + 1];
    }
    for (std::size_t i = 0; i < layout.words * attributes; ++i) begins[i + 1] += begins[i];
    for (std::size_t w = 0; w < layout.words; ++w) {
        for (std::uint32_t e = 0; e < 32; ++e) {
            for (std::uint32_t v = first[32 * w + e]; v < first[32 * w + e + 1]; ++v)
                by_attribute[begins[w * attributes + attribute[v]]++] = {number[v], v, 1u << e};
        }
    }
    // Each begin has moved to its end, which is the next one's begin.
    std::memmove(begins + 1, begins, layout.words * attributes * sizeof *begins);
    begins[0] = 0;
}

}  // namespace

BatchLayout::BatchLayout(std::size_t events, std::size_t values_room, std::size_t text_room, std::size_t attribute_ids)
    : words((events + 31) / 32), values(values_room), text_bytes(text_room), attributes(attribute_ids) {
    if (values > values_max) throw std::length_error("a batch of more than 2^27 values");
    const auto place = [this](std::size_t& offset, std::size_t size) {
        offset = bytes;
        bytes += (size + 15) / 16 * 16;
    };
    place(valid, 4 * words);
    place(first, 4 * (32 * words + 1));
    place(attribute_first, 4 * (words * attributes + 1));
    place(by_attribute, sizeof(IndexedValue) * values);
    place(attribute, 4 * values);
    place(text, sizeof(TextRef) * values);
    place(number, 8 * values);
    place(hash, 8 * values);
    place(chars, text_bytes);
}

BatchLayout::BatchLayout(const engine::EventBatch& batch, std::size_t attribute_ids)
    : BatchLayout(batch.size(), batch.values.size(), text_bytes_of(batch), attribute_ids) {}

bool BatchLayout::fits(const engine::EventBatch& batch) const {
    return batch.words() <= words && batch.values.size() <= values && text_bytes_of(batch) <= text_bytes;
}

BatchView BatchLayout::view(const std::byte* base) const {
    const auto numbers = [base](std::size_t offset) { return reinterpret_cast<const std::uint32_t*>(base + offset); };
    BatchView v;
    v.words = static_cast<std::uint32_t>(words);
    v.attributes = static_cast<std::uint32_t>(attributes);
    v.valid = numbers(valid);
    v.first = numbers(first);
    v.attribute = numbers(attribute);
    v.number = reinterpret_cast<const double*>(base + number);
    v.hash = reinterpret_cast<const std::uint64_t*>(base + hash);
    v.text = reinterpret_cast<const TextRef*>(base + text);
    v.bytes = reinterpret_cast<const char*>(base + chars);
    v.attribute_first = numbers(attribute_first);
    v.by_attribute = reinterpret_cast<const IndexedValue*>(base + by_attribute);
    return v;
}

std::size_t pack(const engine::EventBatch& batch, const BatchLayout& layout, std::byte* to) {
    auto* valid = at<std::uint32_t>(to, layout.valid);
    auto* first = at<std::uint32_t>(to, layout.first);
    auto* attribute = at<std::uint32_t>(to, layout.attribute);
    auto* number = at<double>(to, layout.number);
    auto* hash = at<std::uint64_t>(to, layout.hash);
    auto* text = at<TextRef>(to, layout.text);
    std::size_t chars = 0;
    std::uint32_t values = 0;
    std::fill_n(valid, layout.words, 0u);
    for (std::size_t e = 0; e < 32 * layout.words; ++e) {
        first[e] = values;
        if (e >= batch.size()) continue;
        valid[e / 32] |= 1u << e % 32;
        for (const engine::Value& v : batch.event(e)) {
            if (v.attribute >= layout.attributes) continue;
            attribute[values] = v.attribute;
            number[values] = v.number;
            hash[values] = engine::hash_bytes(v.text, 0);
            text[values] = {static_cast<std::uint32_t>(chars), static_cast<std::uint32_t>(v.text.size())};
            if (!v.text.empty()) std::memcpy(to + layout.chars + chars, v.text.data(), v.text.size());
            chars += v.text.size();
            ++values;
        }
    }
    first[32 * layout.words] = values;
    index_by_attribute(layout, to);
    return layout.chars + (chars + 15) / 16 * 16;
}

}  // namespace sluice::bench
