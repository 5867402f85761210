#include <cuda_runtime.h>

#include "tests/bench/gpu/paper_kernels.hpp"

namespace sluice::bench::paper {

namespace {

__device__ bool holds(std::int32_t op, float4 operand, float4 value) {
    switch (op) {
        case equal:
            return value.x == operand.x;
        case greater:
            return value.x > operand.x;
        case less:
            return value.x < operand.x;
        case not_equal:
            return value.x != operand.x;
        case less_equal:
            return value.x <= operand.x;
        case greater_equal:
            return value.x >= operand.x;
        case between:
            return value.x >= operand.x && value.x <= operand.y;
        default:
            return false;
    }
}

// A thread takes every (threads of the grid)-th predicate and goes through all events and all their attributes.
__global__ void mask_events(const Masks m) {
    const auto* operands = reinterpret_cast<const float4*>(m.operands);
    const auto* values = reinterpret_cast<const float4*>(m.values);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m.predicate_count; i += gridDim.x * blockDim.x) {
        const Predicate predicate = m.predicates[i];
        const float4 operand = operands[predicate.value];
        m.bitmap[i] = 0;
        for (int e = 0; e < m.event_count; ++e) {
            const EventRange event = m.events[e];
            for (int k = event.first; k < event.last; ++k) {
                const Attribute attribute = m.attributes[k];
                if (attribute.id != predicate.attribute) continue;
                for (int v = attribute.first; v < attribute.last; v += 2) {
                    if (holds(predicate.op, operand, values[v])) m.bitmap[i] |= 1u << e;
                }
            }
        }
    }
}

// A thread takes every (threads of the grid)-th subscription and ANDs its predicates' words until nothing is left.
__global__ void match_events(const std::int32_t* cells, std::int32_t rows, std::int32_t size,
                             const std::uint32_t* bitmap, std::uint32_t* result) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows; i += gridDim.x * blockDim.x) {
        const std::int32_t* row = cells + i * (size + 1);
        std::uint32_t match = bitmap[row[1]];
        for (int j = 2; j <= size && match != 0; ++j) match &= bitmap[row[j]];
        result[row[0]] = match;
    }
}

}  // namespace

void enqueue_masks(const Masks& masks, Grid grid, cudaStream_t stream) {
    mask_events<<<grid.blocks, grid.threads, 0, stream>>>(masks);
    cuda::check_launch("mask_events");
}

void enqueue_match(const Cluster& cluster, const std::uint32_t* bitmap, std::uint32_t* result, Grid grid,
                   cudaStream_t stream) {
    match_events<<<grid.blocks, grid.threads, 0, stream>>>(cluster.cells.data(), cluster.rows, cluster.size, bitmap,
                                                           result);
    cuda::check_launch("match_events");
}

}  // namespace sluice::bench::paper
