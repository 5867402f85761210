// CRC32C (Castagnoli; RFC 3720 §12.1), which finds damage in stored bytes: any change of up to 32 bits in a row, and
// all but one in 2^32 of other changes. It does not protect against forgery. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::text {

std::uint32_t crc32c(std::string_view bytes);

// The same, byte by byte, as on processors without an instruction for it.
std::uint32_t crc32c_by_table(std::string_view bytes);

}  // namespace sluice::text
