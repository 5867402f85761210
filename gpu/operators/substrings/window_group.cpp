#include "gpu/operators/substrings/window_group.hpp"

#include <algorithm>
#include <bit>

namespace sluice::substrings {

namespace {

// The most offsets tried for a window.
constexpr std::size_t offsets_tried_max = 256;
constexpr std::uint32_t log2_bits_per_slot = 3;
constexpr std::size_t counts_min = 1 << 8, counts_max = 1 << 16;

// The offset in the pattern at which the window's grams are least frequent.
std::uint32_t rarest_offset(std::string_view pattern, std::uint32_t window_bytes, const GramCounts& counts) {
    if (window_bytes < GramCounts::gram_bytes) return 0;
    const std::size_t grams = window_bytes - GramCounts::gram_bytes + 1;
    const std::size_t offsets = std::min(pattern.size() - window_bytes + 1, offsets_tried_max);
    std::uint64_t sum = 0;
    for (std::size_t g = 0; g < grams; ++g) sum += counts[pattern.data() + g];
    std::uint64_t least = sum;
    std::size_t best = 0;
    for (std::size_t offset = 1; offset < offsets; ++offset) {
        sum += counts[pattern.data() + offset + grams - 1];
        sum -= counts[pattern.data() + offset - 1];
        if (sum < least) {
            least = sum;
            best = offset;
        }
    }
    return static_cast<std::uint32_t>(best);
}

}  // namespace

GramCounts::GramCounts(std::span<const std::string_view> sample) {
    std::size_t bytes = 0;
    for (const std::string_view text : sample) bytes += text.size();
    counts_.resize(std::clamp(std::bit_ceil(bytes), counts_min, counts_max));
    shift_ = 32 - static_cast<std::uint32_t>(std::countr_zero(counts_.size()));
    for (const std::string_view text : sample) {
        for (std::size_t i = 0; i + gram_bytes <= text.size(); ++i) ++counts_[slot(text.data() + i)];
    }
}

WindowGroup::WindowGroup(const PatternTexts& texts, std::span<const std::uint32_t> members, const GramCounts& counts) {
    std::size_t shortest = window_bytes_max;
    for (const std::uint32_t p : members) shortest = std::min(shortest, texts[p].size());
    window = window_shape(static_cast<std::uint32_t>(shortest));

    struct Hashed {
        std::uint32_t hash;
        Entry entry;
    };
    std::vector<Hashed> hashed;
    hashed.reserve(members.size());
    for (const std::uint32_t p : members) {
        const std::string_view text = texts[p];
        const std::uint32_t offset = rarest_offset(text, window.bytes, counts);
        hashed.push_back({window_hash(window, text.data() + offset), {p, offset}});
    }
    std::sort(hashed.begin(), hashed.end(), [](const Hashed& a, const Hashed& b) { return a.hash < b.hash; });

    const auto bits = static_cast<std::uint32_t>(std::bit_width(std::max<std::size_t>(members.size(), 2) * 2 - 1));
    slots.resize(std::size_t{1} << bits);
    slot_shift = 32 - bits;
    bit_shift = slot_shift - log2_bits_per_slot;
    hashes.resize((slots.size() << log2_bits_per_slot) / 32);
    entries.reserve(hashed.size());
    for (std::size_t i = 0; i < hashed.size(); ++i) {
        if (i == 0 || hashed[i].hash != hashed[i - 1].hash) {
            std::size_t at = hashed[i].hash >> slot_shift;
            while (slots[at].first != free_slot) at = (at + 1) & (slots.size() - 1);
            slots[at] = {hashed[i].hash, static_cast<std::uint32_t>(i)};
            const std::uint32_t bit = hashed[i].hash >> bit_shift;
            hashes[bit >> 5] |= 1u << (bit & 31);
        }
        entries.push_back(hashed[i].entry);
        if (i + 1 == hashed.size() || hashed[i + 1].hash != hashed[i].hash) entries.back().offset |= last_flag;
    }
}

}  // namespace sluice::substrings
