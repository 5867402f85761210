#include "gpu/operators/substrings/group_filter.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace sluice::substrings {

namespace {

// Nanoseconds, measured with bench_exact on a Zen 5 core: testing a place in a bitmap of grams; a byte per table of a
// byte filter; a byte filter's base cost per byte; a place let through; a window that may contain it; a window whose
// hash is found; an entry of that hash.
constexpr double gram_place_cost = 0.4, byte_table_cost = 0.005, byte_base_cost = 0.015;
constexpr double passed_cost = 4, window_cost = 1.5, hash_cost = 8, entry_cost = 3;
// The last two if the patterns are not in the nearest caches.
constexpr std::size_t near_patterns_max = 1 << 14;
constexpr double far_hash_cost = 20, far_entry_cost = 40;

constexpr std::uint32_t strides[] = {1, 2, 4};
constexpr std::size_t byte_filter_patterns_max = 96;  // with more, its eight sets let everything through
// As many bits per gram as keep the bitmap in the L1 cache, or else 32, as long as the bitmap fits into the L2 cache.
constexpr std::size_t bits_per_gram = 32, bits_per_gram_max = 1024;
constexpr std::size_t small_bitmap_bits = 1 << 18, bitmap_bits_max = 1 << 22;

}  // namespace

GroupFilter::GroupFilter(const PatternTexts& texts, std::span<const std::uint32_t> members,
                         std::span<const std::string_view> sample, const GramCounts& counts,
                         const FilterKernels& kernels)
    : kernels_(&kernels), windows_(texts, members, counts) {
    far_ = windows_.entries.size() > near_patterns_max;
    choose(texts, sample);
}

void GroupFilter::choose(const PatternTexts& texts, std::span<const std::string_view> sample) {
    cost_ = 1e9;
    std::uint32_t best = 0;
    Kind best_kind = Kind::grams;
    const auto consider = [&](Kind kind, std::uint32_t parameter) {
        kind == Kind::grams ? use_grams(texts, parameter) : use_bytes(texts, parameter);
        if (const double cost = estimate(sample); cost < cost_) {
            cost_ = cost;
            best = parameter;
            best_kind = kind;
        }
    };
    const std::uint32_t window = windows_.window.bytes;
    for (const std::uint32_t stride : strides) {
        if (stride == 1 || window + 1 >= stride + 3) consider(Kind::grams, stride);
    }
    if (windows_.entries.size() <= byte_filter_patterns_max) {
        for (std::uint32_t bytes = 1; bytes <= std::min(window, ByteFilter::bytes_max); ++bytes)
            consider(Kind::bytes, bytes);
    }
    best_kind == Kind::grams ? use_grams(texts, best) : use_bytes(texts, best);
    if (kind_ == Kind::bytes) bitmap_ = {};
}

void GroupFilter::use_grams(const PatternTexts& texts, std::uint32_t stride) {
    kind_ = Kind::grams;
    const std::size_t grams = windows_.entries.size() * stride;
    const std::size_t roomy = std::min(std::bit_ceil(grams * bits_per_gram_max), small_bitmap_bits);
    const std::size_t bits = std::clamp(std::bit_ceil(grams * bits_per_gram), roomy, bitmap_bits_max);
    bitmap_.assign(bits / 32, 0);
    grams_.gram = window_shape(windows_.window.bytes - stride + 1);
    grams_.stride = stride;
    grams_.shift = 32 - static_cast<std::uint32_t>(std::countr_zero(bits));
    grams_.bitmap = bitmap_.data();
    for (const WindowGroup::Entry& entry : windows_.entries) {
        const char* window = WindowGroup::window_of(texts, entry);
        for (std::uint32_t i = 0; i < stride; ++i) {
            const std::uint32_t bit = window_hash(grams_.gram, window + i) >> grams_.shift;
            bitmap_[bit >> 5] |= 1u << (bit & 31);
        }
    }
}

void GroupFilter::use_bytes(const PatternTexts& texts, std::uint32_t bytes) {
    kind_ = Kind::bytes;
    bytes_ = {};
    bytes_.bytes = bytes;
    std::vector<std::string_view> windows;
    for (const WindowGroup::Entry& entry : windows_.entries)
        windows.emplace_back(WindowGroup::window_of(texts, entry), bytes);
    std::sort(windows.begin(), windows.end());  // so that the windows of a set have much in common
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const auto set = static_cast<std::uint8_t>(1u << (i * 8 / windows.size()));
        for (std::uint32_t k = 0; k < bytes; ++k) {
            const auto byte = static_cast<unsigned char>(windows[i][k]);
            bytes_.by_low_bits[k][byte & 63] |= set;
            bytes_.by_low_half[k][byte & 15] |= set;
            bytes_.by_high_half[k][byte >> 4] |= set;
        }
    }
}

double GroupFilter::estimate(std::span<const std::string_view> sample) const {
    std::array<std::uint32_t, piece + places_slack> places;
    const std::size_t phases = kind_ == Kind::grams ? grams_.stride : 1;
    std::size_t bytes = 1, passed = 0, hashes = 0, entries = 0;
    for (const std::string_view text : sample) {
        if (text.size() < windows_.window.bytes) continue;
        bytes += text.size();
        const std::size_t all = text.size() - asked_bytes() + 1;
        for (std::size_t begin = 0; begin < all; begin += piece) {
            const std::size_t places_passed = scan(text, begin, std::min(all, begin + piece), places.data());
            passed += places_passed;
            for (std::size_t i = 0; i < places_passed; ++i) {
                for (std::size_t phase = 0; phase < phases && phase <= places[i]; ++phase) {
                    const std::size_t chain = chain_length(text, places[i] - phase);
                    hashes += chain > 0;
                    entries += chain;
                }
            }
        }
    }
    const double base =
        kind_ == Kind::grams ? gram_place_cost / grams_.stride : byte_base_cost + byte_table_cost * bytes_.bytes;
    const auto count = [](std::size_t n) { return static_cast<double>(n); };
    return base + (count(passed) * (passed_cost + window_cost * count(phases)) +
                   count(hashes) * (far_ ? far_hash_cost : hash_cost) +
                   count(entries) * (far_ ? far_entry_cost : entry_cost)) /
                      count(bytes);
}

// The number of patterns to compare at a window.
std::size_t GroupFilter::chain_length(std::string_view text, std::size_t window) const {
    if (window + windows_.window.bytes > text.size()) return 0;
    const std::uint32_t hash = window_hash(windows_.window, text.data() + window);
    const std::uint32_t first = windows_.find(hash);
    if (first == WindowGroup::free_slot) return 0;
    std::size_t length = 1;
    while ((windows_.entries[first + length - 1].offset & WindowGroup::last_flag) == 0) ++length;
    return length;
}

}  // namespace sluice::substrings
