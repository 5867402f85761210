// The kernels of this folder, compiled with the instruction set in this file's name; see lane_kernel.hpp,
// rows_kernel.hpp and tile_kernel.hpp.
#include <algorithm>
#include <array>
#include <bit>
#include <immintrin.h>
#include <limits>
#include <optional>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/rows_kernel.hpp"
#include "gpu/operators/alignment/lanes/tile_kernel.hpp"

namespace sluice::alignment::avx512 {

namespace {

// Vectors of 512 bits, with the 32 scores of a letter in one register (or two).

// For each lane, the index of the lane `by` before it.
template <class T, std::size_t n>
constexpr std::array<T, n> lanes_before(std::size_t by) {
    std::array<T, n> lanes{};
    for (std::size_t l = by; l < n; ++l) lanes[l] = static_cast<T>(l - by);
    return lanes;
}

// `count` indices into the lanes of two vectors, starting at `first`.
template <class T, std::size_t count>
constexpr std::array<T, count> lanes_after(std::size_t first) {
    std::array<T, count> lanes{};
    for (std::size_t l = 0; l < count; ++l) lanes[l] = static_cast<T>(first + l);
    return lanes;
}

struct Lanes8 {
    using Lane = std::int8_t;
    static constexpr std::size_t count = 64;
    static constexpr std::size_t columns = 8;
    static constexpr int offset = -128;
    static constexpr std::int32_t limit = 255;
    static constexpr bool saturates = true;
    using Table = __m512i;

    __m512i v;

    static Lanes8 of(int value) { return {_mm512_set1_epi8(static_cast<char>(value))}; }
    static Lanes8 zero() { return of(-128); }
    static Lanes8 load(const Lane* p) { return {_mm512_load_si512(p)}; }
    static void store(Lane* p, Lanes8 a) { _mm512_store_si512(p, a.v); }
    static Lanes8 add(Lanes8 a, Lanes8 b) { return {_mm512_adds_epi8(a.v, b.v)}; }
    static Lanes8 subtract(Lanes8 a, Lanes8 b) { return {_mm512_subs_epi8(a.v, b.v)}; }
    static Lanes8 max(Lanes8 a, Lanes8 b) { return {_mm512_max_epi8(a.v, b.v)}; }
    static __m512i letters(const Code* codes) { return _mm512_load_si512(codes); }
    static Table table(const ScoreTables& tables, Code c) { return _mm512_load_si512(tables.bytes[c].data()); }
    static Lanes8 look_up(Table table, __m512i letters) { return {_mm512_permutexvar_epi8(letters, table)}; }
    // Moves each lane's value up by `by` lanes; the first lanes become zero().
    template <std::size_t by = 1>
    static Lanes8 shifted(Lanes8 a) {
        alignas(64) static constexpr auto from = lanes_before<std::uint8_t, count>(by);
        return {_mm512_mask_permutexvar_epi8(zero().v, ~__mmask64{0} << by, _mm512_load_si512(from.data()), a.v)};
    }
    static bool any_greater(Lanes8 a, Lanes8 b) { return _mm512_cmpgt_epi8_mask(a.v, b.v) != 0; }
};

struct Lanes16 {
    using Lane = std::int16_t;
    static constexpr std::size_t count = 32;
    static constexpr std::size_t columns = 8;
    static constexpr int offset = -32768;
    static constexpr std::int32_t limit = 65535;
    static constexpr bool saturates = true;
    using Table = __m512i;

    __m512i v;

    static Lanes16 of(int value) { return {_mm512_set1_epi16(static_cast<Lane>(value))}; }
    static Lanes16 zero() { return of(-32768); }
    static Lanes16 load(const Lane* p) { return {_mm512_load_si512(p)}; }
    static void store(Lane* p, Lanes16 a) { _mm512_store_si512(p, a.v); }
    static Lanes16 add(Lanes16 a, Lanes16 b) { return {_mm512_adds_epi16(a.v, b.v)}; }
    static Lanes16 subtract(Lanes16 a, Lanes16 b) { return {_mm512_subs_epi16(a.v, b.v)}; }
    static Lanes16 max(Lanes16 a, Lanes16 b) { return {_mm512_max_epi16(a.v, b.v)}; }
    static __m512i letters(const Code* codes) {
        return _mm512_cvtepu8_epi16(_mm256_load_si256(reinterpret_cast<const __m256i*>(codes)));
    }
    static Table table(const ScoreTables& tables, Code c) { return _mm512_load_si512(tables.words[c].data()); }
    static Lanes16 look_up(Table table, __m512i letters) { return {_mm512_permutexvar_epi16(letters, table)}; }
    template <std::size_t by = 1>
    static Lanes16 shifted(Lanes16 a) {
        alignas(64) static constexpr auto from = lanes_before<std::uint16_t, count>(by);
        return {_mm512_mask_permutexvar_epi16(zero().v, ~__mmask32{0} << by, _mm512_load_si512(from.data()), a.v)};
    }
    static bool any_greater(Lanes16 a, Lanes16 b) { return _mm512_cmpgt_epi16_mask(a.v, b.v) != 0; }

    // For tiles.
    static Lanes16 load_any(const Lane* p) { return {_mm512_loadu_si512(p)}; }
    // Moves each lane up by one; the last lane of `before` becomes the first.
    static Lanes16 shifted(Lanes16 a, Lanes16 before) {
        alignas(64) static constexpr auto from = lanes_after<std::uint16_t, count>(count - 1);
        return {_mm512_permutex2var_epi16(before.v, _mm512_load_si512(from.data()), a.v)};
    }
    static Lanes16 if_equal(Lanes16 a, Lanes16 b, Lanes16 yes, Lanes16 no) {
        return {_mm512_mask_mov_epi16(no.v, _mm512_cmpeq_epi16_mask(a.v, b.v), yes.v)};
    }
    static Lanes16 if_greater(Lanes16 a, Lanes16 b, Lanes16 yes, Lanes16 no) {
        return {_mm512_mask_mov_epi16(no.v, _mm512_cmpgt_epi16_mask(a.v, b.v), yes.v)};
    }
    static Lane last(Lanes16 a) { return static_cast<Lane>(_mm_extract_epi16(_mm512_extracti32x4_epi32(a.v, 3), 7)); }
};

struct Lanes32 {
    using Lane = std::int32_t;
    static constexpr std::size_t count = 16;
    static constexpr std::size_t columns = 4;
    static constexpr int offset = 0;
    static constexpr std::int32_t limit = INT32_MAX;
    static constexpr bool saturates = false;
    struct Table {
        __m512i low, high;
    };

    __m512i v;

    static Lanes32 of(int value) { return {_mm512_set1_epi32(value)}; }
    static Lanes32 zero() { return of(0); }
    static Lanes32 load(const Lane* p) { return {_mm512_load_si512(p)}; }
    static void store(Lane* p, Lanes32 a) { _mm512_store_si512(p, a.v); }
    static Lanes32 add(Lanes32 a, Lanes32 b) { return {_mm512_add_epi32(a.v, b.v)}; }
    static Lanes32 subtract(Lanes32 a, Lanes32 b) { return {_mm512_sub_epi32(a.v, b.v)}; }
    static Lanes32 max(Lanes32 a, Lanes32 b) { return {_mm512_max_epi32(a.v, b.v)}; }
    static __m512i letters(const Code* codes) {
        return _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(codes)));
    }
    static Table table(const ScoreTables& tables, Code c) {
        return {_mm512_load_si512(tables.longs[c].data()), _mm512_load_si512(tables.longs[c].data() + 16)};
    }
    static Lanes32 look_up(Table table, __m512i letters) {
        return {_mm512_permutex2var_epi32(table.low, letters, table.high)};
    }
    template <std::size_t by = 1>
    static Lanes32 shifted(Lanes32 a) {
        return {_mm512_alignr_epi32(a.v, zero().v, count - by)};
    }
    static bool any_greater(Lanes32 a, Lanes32 b) { return _mm512_cmpgt_epi32_mask(a.v, b.v) != 0; }

    // For rows and tiles.
    static Lanes32 load_any(const Lane* p) { return {_mm512_loadu_si512(p)}; }
    static Lanes32 shifted(Lanes32 a, Lanes32 before) { return {_mm512_alignr_epi32(a.v, before.v, 15)}; }
    static Lanes32 if_equal(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return {_mm512_mask_mov_epi32(no.v, _mm512_cmpeq_epi32_mask(a.v, b.v), yes.v)};
    }
    static Lanes32 if_greater(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return {_mm512_mask_mov_epi32(no.v, _mm512_cmpgt_epi32_mask(a.v, b.v), yes.v)};
    }
    static Lane last(Lanes32 a) { return _mm_extract_epi32(_mm512_extracti32x4_epi32(a.v, 3), 3); }
};

#include "gpu/operators/alignment/lanes/lane_loops.hpp"
#include "gpu/operators/alignment/lanes/rows_loops.hpp"
#include "gpu/operators/alignment/lanes/striped_loops.hpp"
#include "gpu/operators/alignment/lanes/tile_loops.hpp"

template <class V>
constexpr LaneWidth lane_width() {
    return {align_lanes<V>, V::count, V::limit, align_striped<V>};
}

constexpr std::size_t rows_of_tile = 128;

void run_words(TileTask& task) { Tile<Lanes16, rows_of_tile>(task).run(); }
void run_longs(TileTask& task) { Tile<Lanes32, rows_of_tile>(task).run(); }

}  // namespace

LaneKernels lane_kernels() { return {lane_width<Lanes8>(), lane_width<Lanes16>(), lane_width<Lanes32>()}; }

void run_rows(RowsTask& task) {
    if (task.local) return run_strips<true, true>(task);
    task.track_best ? run_strips<false, true>(task) : run_strips<false, false>(task);
}

extern const TileKernels tile_kernels{rows_of_tile, run_words, run_longs};

}  // namespace sluice::alignment::avx512
