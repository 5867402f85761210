// Reads a table file of the database from its beginning to its end. Any thread; waits for the disk.
#pragma once

#include <optional>
#include <string>

#include "broker/store/rocks/database/database.hpp"

namespace sluice::store {

// Compares each block with its checksum. Returns the first fault, which names the file.
std::optional<Fault> check_table(const std::string& path);

}  // namespace sluice::store
