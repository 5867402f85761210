// Makes a store of what can be read of a damaged one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "broker/store/event_log.hpp"

namespace sluice::store {

struct Repaired {
    std::string damaged_path;  // where the damaged store is now
    std::size_t streams = 0;
    std::uint64_t events = 0;
    std::vector<Damage> lost;  // events that could not be read
    // Events that were there by the store's books, and of which nothing was found; their streams are told by name.
    std::uint64_t missing = 0;
    std::vector<std::string> missing_of;
    std::vector<std::string> notes;  // what else is not as it was
};

// The folder then has the new store, with the old one's epoch, ids and owner. Subscribers who were in the middle of the
// lost events get a reset. Needs as much free space as the store takes. Throws std::runtime_error if nothing can be
// done: somebody has it open, or there is no space.
Repaired repair_store(const std::string& path);

}  // namespace sluice::store
