// Reads a table of a store from its beginning to its end, past damage. One thread; waits for the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "broker/store/rocks/database/database.hpp"

namespace sluice::store {

using WalkEntry = std::function<void(std::string_view key, std::string_view value)>;
// What has numbers (number_of_key) from `from` on and below `end` can't be read; the fault names the file.
using WalkDamage = std::function<void(std::uint64_t from, std::uint64_t end, const std::string& fault)>;

// Calls `entry` with each that can be read, and `damage` with the places around what can't.
void walk(const Database& database, Family family, const WalkEntry& entry, const WalkDamage& damage);

}  // namespace sluice::store
