// What the access kernel reads and writes for a batch: the events' records, and the rows found. Plain values.
#pragma once

#include <cstdint>

#include "gpu/cpu/segment/segment.hpp"
#include "gpu/cuda/event_records.hpp"

namespace sluice::cuda {

// Where the kernel writes the rows that it finds. `count` is the total number found, which may exceed `room`: then the
// batch must be matched again with more room. `rows` and `count` may be host memory.
struct FoundRows {
    cpu::FoundRow* rows;
    std::uint64_t room;
    std::uint64_t* count;
    unsigned long long* counters;  // two words of device memory, 0 before and after
};

// A batch in memory that the device can read: device memory or pinned host memory.
struct RecordsView {
    const std::uint32_t* first;
    const EventRecord* records;
    const std::uint64_t* text;
    std::uint32_t events;
    // The part to match now: a batch may be matched part by part, in one stream. The count of the rows found is written
    // when all events have been matched.
    std::uint32_t part_begin, part_events;
};

}  // namespace sluice::cuda
