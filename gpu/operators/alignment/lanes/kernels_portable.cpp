// The kernels of this folder for every processor; see lane_kernel.hpp, rows_kernel.hpp and tile_kernel.hpp.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"
#include "gpu/operators/alignment/lanes/rows_kernel.hpp"
#include "gpu/operators/alignment/lanes/tile_kernel.hpp"

namespace sluice::alignment::portable {

namespace {

// Vectors of 128 bits, which GCC and clang support on every processor. 16-bit lanes do not saturate, so scores must
// stay below `limit`.

template <class T>
struct PlainLanes {
    using Lane = T;
    static constexpr std::size_t count = 16 / sizeof(T);
    static constexpr std::size_t columns = 4;
    static constexpr int offset = 0;
    static constexpr std::int32_t limit = sizeof(T) == 2 ? 32767 - score_max : INT32_MAX;
    static constexpr bool saturates = false;
    using Table = const T*;
    typedef T Vector __attribute__((vector_size(16)));

    Vector v;

    static PlainLanes of(int value) { return {Vector{} + static_cast<T>(value)}; }
    static PlainLanes zero() { return {Vector{}}; }
    static PlainLanes load(const Lane* p) { return {*reinterpret_cast<const Vector*>(p)}; }
    static void store(Lane* p, PlainLanes a) { *reinterpret_cast<Vector*>(p) = a.v; }
    static PlainLanes add(PlainLanes a, PlainLanes b) { return {a.v + b.v}; }
    static PlainLanes subtract(PlainLanes a, PlainLanes b) { return {a.v - b.v}; }
    static PlainLanes max(PlainLanes a, PlainLanes b) { return {a.v > b.v ? a.v : b.v}; }
    static const Code* letters(const Code* codes) { return codes; }
    static Table table(const ScoreTables& tables, Code c) {
        if constexpr (sizeof(T) == 2) {
            return tables.words[c].data();
        } else {
            return tables.longs[c].data();
        }
    }
    static PlainLanes look_up(Table table, const Code* letters) {
        PlainLanes scores;
        for (std::size_t l = 0; l < count; ++l) scores.v[l] = table[letters[l]];
        return scores;
    }

    // For rows and tiles.
    static PlainLanes load_any(const Lane* p) {
        PlainLanes lanes;
        __builtin_memcpy(&lanes.v, p, sizeof lanes.v);
        return lanes;
    }
    static PlainLanes shifted(PlainLanes a, PlainLanes before) {
        static_assert(count == 4);
        return {__builtin_shufflevector(before.v, a.v, 3, 4, 5, 6)};
    }
    static PlainLanes if_equal(PlainLanes a, PlainLanes b, PlainLanes yes, PlainLanes no) {
        return {a.v == b.v ? yes.v : no.v};
    }
    static PlainLanes if_greater(PlainLanes a, PlainLanes b, PlainLanes yes, PlainLanes no) {
        return {a.v > b.v ? yes.v : no.v};
    }
    static Lane last(PlainLanes a) { return a.v[count - 1]; }
};

using Lanes16 = PlainLanes<std::int16_t>;
using Lanes32 = PlainLanes<std::int32_t>;

#include "gpu/operators/alignment/lanes/lane_loops.hpp"
#include "gpu/operators/alignment/lanes/rows_loops.hpp"
#include "gpu/operators/alignment/lanes/tile_loops.hpp"

template <class V>
constexpr LaneWidth lane_width() {
    return {align_lanes<V>, V::count, V::limit};
}

constexpr std::size_t rows_of_tile = 32;

void run_longs(TileTask& task) { Tile<Lanes32, rows_of_tile>(task).run(); }

}  // namespace

LaneKernels lane_kernels() { return {{}, lane_width<Lanes16>(), lane_width<Lanes32>()}; }

void run_rows(RowsTask& task) {
    if (task.local) return run_strips<true, true>(task);
    task.track_best ? run_strips<false, true>(task) : run_strips<false, false>(task);
}

extern const TileKernels tile_kernels{rows_of_tile, nullptr, run_longs};

}  // namespace sluice::alignment::portable
