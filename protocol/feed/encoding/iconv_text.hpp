// Reads the encodings that the WHATWG Encoding Standard refuses, and iconv knows: ISO-2022-KR and ISO-2022-CN. Pure
// functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/feed/encoding/decoded.hpp"

namespace sluice::feed {

bool is_read_by_iconv(std::string_view encoding);

// As decode(), for these encodings. A NUL follows `encoding`. Each byte that iconv can't read is a fault.
Decoded decode_with_iconv(std::string_view bytes, std::string_view encoding, std::size_t bytes_max, OnFault on_fault);

}  // namespace sluice::feed
