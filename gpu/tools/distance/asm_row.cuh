// What the kernels of the published algorithms share: the costs, and a thread's row of the matrix.
#pragma once

#include <cstdint>

#include "gpu/operators/edits/costs.hpp"
#include "gpu/tools/distance/asm_task.hpp"

namespace sluice::edits {

namespace {

constexpr int warp_size = 32;
constexpr unsigned all_lanes = ~0u;
constexpr int kinds = Costs::kinds_max, ascii = 128;

struct Weights {
    int deletion, insertion;
    const std::uint8_t* substitution;  // of DeviceCosts
};

// The costs for a thread's row of the matrix.
template <class Symbol, bool unit>
struct Row {
    Symbol x;
    int deletion, insertion;
    const std::uint8_t* substitution;

    Row() = default;
    // Row `index` of the pattern, from 0 on. The costs must be in the shared table before a cell is computed.
    __device__ Row(const Symbol* xs, const AsmTask& task, Weights weights, const std::uint8_t* shared_table,
                   std::uint32_t index) {
        x = index < task.m ? xs[task.x + index] : Symbol{0};
        deletion = unit ? 1 : weights.deletion;
        insertion = unit ? 1 : weights.insertion;
        // The kind of x: the kinds of ASCII characters follow the costs in weights.substitution.
        if constexpr (!unit)
            substitution = shared_table + ascii * (x < ascii ? weights.substitution[kinds * ascii + x] : 0);
    }
    __device__ int substitute(Symbol y) const {
        if constexpr (unit) return x != y ? 1 : 0;
        return x == y ? 0 : substitution[y < ascii ? y : 0];
    }
    __device__ int cell(int left, int up, int diagonal, int substitution_cost) const {
        if constexpr (unit) return min(min(left, up) + 1, diagonal + substitution_cost);
        return min(min(left + insertion, up + deletion), diagonal + substitution_cost);
    }
};

// Copies the costs to shared memory; followed by a barrier.
template <bool unit>
__device__ void load_costs(Weights weights, std::uint8_t* shared_table) {
    if constexpr (!unit) {
        for (unsigned i = threadIdx.x; i < kinds * ascii; i += blockDim.x) shared_table[i] = weights.substitution[i];
    }
}

}  // namespace

}  // namespace sluice::edits
