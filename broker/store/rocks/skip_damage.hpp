// Finds the way past damage in a table. Any thread; waits for the disk.
#pragma once

#include <cstdint>
#include <string_view>

#include "broker/store/rocks/database/database.hpp"

namespace sluice::store {

// The first 8 bytes of a key as a number, big-endian; of events it is their first id.
std::uint64_t number_of_key(std::string_view key);

// The cursor could not read on from this number. Moves it to the first key that can be read behind it and below `end`,
// and returns its number; `end`: there is none.
std::uint64_t skip_damage(Cursor& cursor, std::uint64_t from, std::uint64_t end);

// The cursor could not read on after this key, of any length. Moves it to one of the first that can be read; at the end
// of the cursor there is none.
void skip_damage(Cursor& cursor, std::string_view after);

}  // namespace sluice::store
