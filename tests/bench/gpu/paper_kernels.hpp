// The kernels of Araújo 2009 ("Filtragem de eventos baseada em conteúdo usando GPUs", sections 3.2 and 3.3), written
// from the thesis's description, as the baseline of this folder's cluster benchmark. Masks: one thread per predicate
// loops over events and their attributes. Rows: one thread per subscription over row-major rows, one launch per
// cluster. Host-side functions that enqueue them.
#pragma once

#include <cstdint>
#include <cuda_runtime_api.h>
#include <vector>

#include "gpu/device/device.hpp"

namespace sluice::bench::paper {

// One predicate, as the thesis's int3: attribute, operator, place of its value. The operand's two float4 hold a
// string's hash or, in x, a number; `between` (x <= value <= y) is added to the thesis's seven operators.
enum Operator : std::int32_t { equal, greater, less, not_equal, less_equal, greater_equal, between = 7 };
struct Predicate {
    std::int32_t attribute, op, value;
};
// An attribute of an event: its id and the range of its values, two float4 each. An event: the range of its attributes.
struct Attribute {
    std::int32_t id, first, last;
};
struct EventRange {
    std::int32_t first, last;
};
struct Operand {
    float x, y, z, w;
};

// Row-major rows: [subscription, predicate, …], each size + 1 long.
struct Cluster {
    std::int32_t size = 0, rows = 0;
    cuda::DeviceBuffer<std::int32_t> cells;
};

struct Grid {
    int blocks, threads;
};

struct Masks {
    const Predicate* predicates;
    std::int32_t predicate_count;
    const Operand* operands;
    const Attribute* attributes;
    const EventRange* events;
    std::int32_t event_count;  // up to 32
    const Operand* values;
    std::uint32_t* bitmap;  // a word a predicate
};

void enqueue_masks(const Masks& masks, Grid grid, cudaStream_t stream);
// result[subscription]: the events it accepts.
void enqueue_match(const Cluster& cluster, const std::uint32_t* bitmap, std::uint32_t* result, Grid grid,
                   cudaStream_t stream);

}  // namespace sluice::bench::paper
