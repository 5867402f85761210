// Reads everything that a store on disk has, and says what is damaged. Changes nothing. One thread; waits for the disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "broker/store/event_log.hpp"

namespace sluice::store {

struct Verified {
    std::uint64_t streams = 0, events = 0, identities = 0, replies = 0, values = 0;  // that could be read
    std::vector<Damage> damage;  // ids of 0: not of events, or it is not known of which
    std::uint64_t more = 0;      // places that are damaged as well
    std::vector<std::string> notes;
};

// Compares each block of each table with its checksum, and reads the write-ahead log. Each event must be what was
// stored under its id; the index must have all events, and no others; the records of streams must agree with both.
//
// A note is what needs no repair: a last group that was cut short, as a failure of the machine leaves it, and an event
// of which erasing was cut short. What has been erased is not damaged.
//
// Throws std::runtime_error if that can't be done: somebody has it open, or there is no store.
Verified verify_store(const std::string& path);

}  // namespace sluice::store
