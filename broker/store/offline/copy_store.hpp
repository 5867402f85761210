// A backup of a store that nobody has open. One thread; waits for the disk.
#pragma once

#include <string>

#include "broker/store/durable_state.hpp"

namespace sluice::store {

// As DurableState::backup(), to a folder that must not exist; its parent must. Throws std::runtime_error if somebody
// has the store open, it is damaged, or there is no space.
Backup copy_store(const std::string& path, const std::string& folder);

}  // namespace sluice::store
