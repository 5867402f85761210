// The contents of a GpuPatternSet, and the texts of a call on the device: built and loaded by gpu_pattern_content.cpp,
// used by edits_cuda.cpp. Owned by one thread at a time; all copies and kernels run in its one stream.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/alphabet.hpp"
#include "gpu/operators/edits/cuda/device_groups.hpp"
#include "gpu/operators/edits/cuda/myers_long.hpp"
#include "gpu/operators/edits/cuda/myers_many.hpp"
#include "gpu/operators/edits/edits.hpp"

namespace sluice::edits {

inline constexpr std::uint32_t warp_size = 32;
inline constexpr std::uint32_t lane_pattern_max = lane_words_max * lane_rows;
inline constexpr std::uint32_t classes_max = 65'535;
// Sets of at most this many patterns lay each of them across a warp, since one pattern per lane would leave most of the
// chip idle.
inline constexpr std::size_t long_patterns_max = 8;
// Longer texts are cut, so that no warp works alone for long.
inline constexpr std::uint64_t piece_symbols = 8192;
// The most results of a launch.
inline constexpr std::size_t results_max = std::size_t{1} << 26;
inline constexpr std::uint32_t none = ~0u;

// The patterns of one size. A slot among all sizes is first_slot plus the slot in `groups`.
struct GroupsOfSize {
    std::uint32_t first_slot = 0;
    GroupsOnDevice groups;
};

struct LongOnDevice {
    std::uint32_t pattern;
    LongTable host;
    cuda::DeviceBuffer<std::uint32_t> row_of, table;

    DeviceLongPattern device(std::uint32_t bound) const {
        return {host.layout, host.m, host.rows, row_of.data(), table.data(), bound};
    }
};

// Texts on the device, as symbols; 0 stands for a character of no pattern.
struct TextsOnDevice {
    std::vector<std::uint8_t> bytes;    // if there are few symbols,
    std::vector<std::uint16_t> shorts;  // else this
    std::vector<std::uint64_t> begin;
    std::vector<std::uint32_t> length;
    std::uint64_t symbols = 0;
    cuda::DeviceBuffer<std::uint8_t> device_bytes;
    cuda::DeviceBuffer<std::uint16_t> device_shorts, rows;
    cuda::DeviceBuffer<TextPiece> pieces;
    cuda::DeviceBuffer<PiecePair> pairs;
    cuda::DeviceBuffer<std::uint32_t> results;
};

struct GpuPatternContent {
    Extent extent;
    std::vector<std::uint32_t> lengths, k;
    Alphabet alphabet;
    std::vector<std::uint16_t> symbol_of;  // [class of the alphabet]
    std::uint32_t symbols = 1;
    std::vector<GroupsOfSize> sizes;
    std::vector<std::uint32_t> slot_of;  // [pattern]; `none`: in no group
    std::uint32_t slots = 0;
    std::vector<LongOnDevice> longs;
    bool all_long = false;
    std::vector<std::uint32_t> cpu_patterns;  // those that no kernel takes as part of a pair
    std::vector<std::uint32_t> cpu_index;     // [pattern]: index in cpu_patterns, or `none`
    std::unique_ptr<PatternSet> cpu;
    int multiprocessors = 0;
    cuda::Stream stream;
    TextsOnDevice texts;

    GpuPatternContent(std::span<const Pattern> patterns, Extent extent_of_all);
    void add_symbols(std::span<const std::u32string> all);
    void add_size(std::uint32_t words, std::span<const std::uint32_t> ids,
                  std::span<const std::vector<std::uint32_t>> classes);
    void load(std::span<const std::string_view> given, bool margins);
    template <class Symbol>
    void load_symbols(std::vector<Symbol>& all, std::span<const std::string_view> given, std::uint64_t margin);
    void load_pieces(const std::vector<TextPiece>& pieces);
    std::vector<TextPiece> pieces_of_texts(std::uint64_t overlap) const;
    template <class F>
    void with_texts(F f) {
        symbols <= 256 ? f(texts.device_bytes.data()) : f(texts.device_shorts.data());
    }
    void run_groups(bool decide, std::span<std::uint32_t> results);
    std::vector<std::uint32_t> run_long(const LongOnDevice& pattern, bool decide);
    // Call each(text, pattern, distance). With `decide`, only whether the distance is within the bound is correct.
    template <class Each>
    void match_all(std::span<const std::string_view> given, bool decide, Counters& counters, Each each);
    template <class Each>
    void match_some(std::span<const std::string_view> given, bool decide, Counters& counters, Each each);
    template <class Each>
    void match_pairs(std::span<const std::string_view> given, std::span<const Pair> pairs, bool decide,
                     Counters& counters, Each each);
    std::uint32_t distance_of_empty(std::uint32_t text_characters) const {
        return extent == Extent::whole ? text_characters : 0;
    }
};

}  // namespace sluice::edits
