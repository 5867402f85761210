// Phases 1 and 2 for access rows on the device: which rows of a segment each event of a packed batch finds and makes
// hold. Enqueues one kernel; any thread, each with its own memory for what is found.
#pragma once

#include <cstdint>

#include "gpu/cpu/segment.hpp"
#include "gpu/cuda/look_up_tables.hpp"
#include "gpu/cuda/scan_tables.hpp"

namespace sluice::cuda {

// Where the kernel puts what it finds. `count` is what there was to put, which may be more than `room`: then the batch
// must be matched again with more room. `rows` and `count` may be memory of the host.
struct FoundRows {
    FoundRow* rows;
    std::uint32_t room;
    std::uint32_t* count;
    std::uint32_t* counters;  // two words of device memory, 0 before and after
};

// A batch in memory that the device can read; of the device, or pinned memory of the host.
struct RecordsView {
    const std::uint32_t* first;
    const EventRecord* records;
    const std::uint64_t* text;
    std::uint32_t events;
};

// Also sets the bits of what the events make true in the masks of the scanned rows, if there are any.
void look_up(const LookUpView& tables, const RecordsView& batch, const FoundRows& found, const ScanView& scan,
             const ScanMemory& scan_memory, cudaStream_t stream);

}  // namespace sluice::cuda
