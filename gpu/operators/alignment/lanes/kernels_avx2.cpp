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

namespace sluice::alignment::avx2 {

namespace {

// Vectors of 256 bits. A look-up among 32 scores is one among the first 16, one among the rest, and a blend.

// Shifts the bytes of `a` up by up to 16; the last bytes of `before` fill the gap.
template <std::size_t by>
__m256i bytes_shifted(__m256i a, __m256i before) {
    const __m256i halves = _mm256_permute2x128_si256(before, a, 0x21);  // the upper of `before`, the lower of `a`
    if constexpr (by == 16) {
        return halves;
    } else {
        return _mm256_alignr_epi8(a, halves, 16 - by);
    }
}

struct HalfTables {
    __m256i low, high;

    static HalfTables of(const void* bytes) {
        const auto* p = static_cast<const __m128i*>(bytes);
        return {_mm256_broadcastsi128_si256(_mm_load_si128(p)), _mm256_broadcastsi128_si256(_mm_load_si128(p + 1))};
    }
    // Looks up each byte of `letters`. A byte of `upper` has its top bit set where the letter is above 15.
    __m256i look_up(__m256i letters, __m256i upper) const {
        return _mm256_blendv_epi8(_mm256_shuffle_epi8(low, letters), _mm256_shuffle_epi8(high, letters), upper);
    }
};

struct Letters {
    __m256i code, upper;

    static Letters of(__m256i codes) {
        return {_mm256_and_si256(codes, _mm256_set1_epi8(15)), _mm256_slli_epi16(codes, 3)};
    }
};

struct Lanes8 {
    using Lane = std::int8_t;
    static constexpr std::size_t count = 32;
    static constexpr std::size_t columns = 4;
    static constexpr int offset = -128;
    static constexpr std::int32_t limit = 255;
    static constexpr bool saturates = true;
    using Table = HalfTables;

    __m256i v;

    static Lanes8 of(int value) { return {_mm256_set1_epi8(static_cast<char>(value))}; }
    static Lanes8 zero() { return of(-128); }
    static Lanes8 load(const Lane* p) { return {_mm256_load_si256(reinterpret_cast<const __m256i*>(p))}; }
    static void store(Lane* p, Lanes8 a) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), a.v); }
    static Lanes8 add(Lanes8 a, Lanes8 b) { return {_mm256_adds_epi8(a.v, b.v)}; }
    static Lanes8 subtract(Lanes8 a, Lanes8 b) { return {_mm256_subs_epi8(a.v, b.v)}; }
    static Lanes8 max(Lanes8 a, Lanes8 b) { return {_mm256_max_epi8(a.v, b.v)}; }
    static Letters letters(const Code* codes) {
        return Letters::of(_mm256_load_si256(reinterpret_cast<const __m256i*>(codes)));
    }
    static Table table(const ScoreTables& tables, Code c) { return HalfTables::of(tables.bytes[c].data()); }
    static Lanes8 look_up(const Table& table, Letters letters) { return {table.look_up(letters.code, letters.upper)}; }
    // Moves each lane's value up by `by` lanes; the first lanes become zero().
    template <std::size_t by = 1>
    static Lanes8 shifted(Lanes8 a) {
        return {bytes_shifted<by>(a.v, zero().v)};
    }
    static bool any_greater(Lanes8 a, Lanes8 b) { return _mm256_movemask_epi8(_mm256_cmpgt_epi8(a.v, b.v)) != 0; }
};

struct Lanes16 {
    using Lane = std::int16_t;
    static constexpr std::size_t count = 16;
    static constexpr std::size_t columns = 4;
    static constexpr int offset = -32768;
    static constexpr std::int32_t limit = 65535;
    static constexpr bool saturates = true;
    struct Table {
        HalfTables low_bytes, high_bytes;
    };

    __m256i v;

    static Lanes16 of(int value) { return {_mm256_set1_epi16(static_cast<Lane>(value))}; }
    static Lanes16 zero() { return of(-32768); }
    static Lanes16 load(const Lane* p) { return {_mm256_load_si256(reinterpret_cast<const __m256i*>(p))}; }
    static void store(Lane* p, Lanes16 a) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), a.v); }
    static Lanes16 add(Lanes16 a, Lanes16 b) { return {_mm256_adds_epi16(a.v, b.v)}; }
    static Lanes16 subtract(Lanes16 a, Lanes16 b) { return {_mm256_subs_epi16(a.v, b.v)}; }
    static Lanes16 max(Lanes16 a, Lanes16 b) { return {_mm256_max_epi16(a.v, b.v)}; }
    static Letters letters(const Code* codes) {
        return Letters::of(_mm256_cvtepu8_epi16(_mm_load_si128(reinterpret_cast<const __m128i*>(codes))));
    }
    static Table table(const ScoreTables& tables, Code c) {
        const auto* halves = tables.halves[c].data();
        return {HalfTables::of(halves), HalfTables::of(halves + codes_max)};
    }
    static Lanes16 look_up(const Table& table, Letters letters) {
        const __m256i low = table.low_bytes.look_up(letters.code, letters.upper);
        const __m256i high = table.high_bytes.look_up(letters.code, letters.upper);
        const __m256i bytes =
            _mm256_and_si256(low, _mm256_set1_epi16(0xff));  // the upper bytes of a lane are letter 0's
        return {_mm256_or_si256(bytes, _mm256_slli_epi16(high, 8))};
    }
    template <std::size_t by = 1>
    static Lanes16 shifted(Lanes16 a) {
        return {bytes_shifted<2 * by>(a.v, zero().v)};
    }
    static bool any_greater(Lanes16 a, Lanes16 b) { return _mm256_movemask_epi8(_mm256_cmpgt_epi16(a.v, b.v)) != 0; }

    // For tiles.
    static Lanes16 load_any(const Lane* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
    static Lanes16 shifted(Lanes16 a, Lanes16 before) { return {bytes_shifted<2>(a.v, before.v)}; }
    static Lanes16 if_equal(Lanes16 a, Lanes16 b, Lanes16 yes, Lanes16 no) {
        return {_mm256_blendv_epi8(no.v, yes.v, _mm256_cmpeq_epi16(a.v, b.v))};
    }
    static Lanes16 if_greater(Lanes16 a, Lanes16 b, Lanes16 yes, Lanes16 no) {
        return {_mm256_blendv_epi8(no.v, yes.v, _mm256_cmpgt_epi16(a.v, b.v))};
    }
    static Lane last(Lanes16 a) { return static_cast<Lane>(_mm256_extract_epi16(a.v, 15)); }
};

struct Lanes32 {
    using Lane = std::int32_t;
    static constexpr std::size_t count = 8;
    static constexpr std::size_t columns = 4;
    static constexpr int offset = 0;
    static constexpr std::int32_t limit = INT32_MAX;
    static constexpr bool saturates = false;
    using Table = const std::int32_t*;

    __m256i v;

    static Lanes32 of(int value) { return {_mm256_set1_epi32(value)}; }
    static Lanes32 zero() { return of(0); }
    static Lanes32 load(const Lane* p) { return {_mm256_load_si256(reinterpret_cast<const __m256i*>(p))}; }
    static void store(Lane* p, Lanes32 a) { _mm256_store_si256(reinterpret_cast<__m256i*>(p), a.v); }
    static Lanes32 add(Lanes32 a, Lanes32 b) { return {_mm256_add_epi32(a.v, b.v)}; }
    static Lanes32 subtract(Lanes32 a, Lanes32 b) { return {_mm256_sub_epi32(a.v, b.v)}; }
    static Lanes32 max(Lanes32 a, Lanes32 b) { return {_mm256_max_epi32(a.v, b.v)}; }
    static __m256i letters(const Code* codes) {
        return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes)));
    }
    static Table table(const ScoreTables& tables, Code c) { return tables.longs[c].data(); }
    static Lanes32 look_up(Table table, __m256i letters) { return {_mm256_i32gather_epi32(table, letters, 4)}; }
    template <std::size_t by = 1>
    static Lanes32 shifted(Lanes32 a) {
        return {bytes_shifted<4 * by>(a.v, zero().v)};
    }
    static bool any_greater(Lanes32 a, Lanes32 b) { return _mm256_movemask_epi8(_mm256_cmpgt_epi32(a.v, b.v)) != 0; }

    // For rows and tiles.
    static Lanes32 load_any(const Lane* p) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))}; }
    static Lanes32 shifted(Lanes32 a, Lanes32 before) { return {bytes_shifted<4>(a.v, before.v)}; }
    static Lanes32 if_equal(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return {_mm256_blendv_epi8(no.v, yes.v, _mm256_cmpeq_epi32(a.v, b.v))};
    }
    static Lanes32 if_greater(Lanes32 a, Lanes32 b, Lanes32 yes, Lanes32 no) {
        return {_mm256_blendv_epi8(no.v, yes.v, _mm256_cmpgt_epi32(a.v, b.v))};
    }
    static Lane last(Lanes32 a) { return _mm256_extract_epi32(a.v, 7); }
};

#include "gpu/operators/alignment/lanes/lane_loops.hpp"
#include "gpu/operators/alignment/lanes/rows_loops.hpp"
#include "gpu/operators/alignment/lanes/striped_loops.hpp"
#include "gpu/operators/alignment/lanes/tile_loops.hpp"

template <class V>
constexpr LaneWidth lane_width() {
    return {align_lanes<V>, V::count, V::limit, align_striped<V>};
}

constexpr std::size_t rows_of_tile = 64;

void run_words(TileTask& task) { Tile<Lanes16, rows_of_tile>(task).run(); }
void run_longs(TileTask& task) { Tile<Lanes32, rows_of_tile>(task).run(); }

}  // namespace

LaneKernels lane_kernels() { return {lane_width<Lanes8>(), lane_width<Lanes16>(), lane_width<Lanes32>()}; }

void run_rows(RowsTask& task) {
    if (task.local) return run_strips<true, true>(task);
    task.track_best ? run_strips<false, true>(task) : run_strips<false, false>(task);
}

extern const TileKernels tile_kernels{rows_of_tile, run_words, run_longs};

}  // namespace sluice::alignment::avx2
