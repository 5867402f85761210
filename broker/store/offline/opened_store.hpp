// Opens a store's database for the tools. One thread; waits for the disk.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "broker/store/rocks/database/database.hpp"

namespace sluice::store {

// The folder without slashes at its end. Throws std::runtime_error if there is none or this process may not read it.
std::string store_folder_of(const std::string& path);
// Throws std::runtime_error unless the folder has a store, be it damaged.
void require_store(const std::string& path);

// For reading alone: no file is changed. `others_write`: another process may have it open. `fault`: what was passed
// over, if not null; else it is a reason to fail. Throws std::runtime_error.
std::unique_ptr<Database> open_to_read(const std::string& path, bool others_write = false,
                                       std::optional<Fault>* fault = nullptr);

}  // namespace sluice::store
