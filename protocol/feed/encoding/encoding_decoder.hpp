// Reads bytes in one encoding, as the decoders of the WHATWG Encoding Standard do: they say which bytes are a fault,
// how many of them one U+FFFD replaces, and where reading goes on. Pure function; any thread. Linear time.
#pragma once

#include <cstddef>
#include <string_view>

#include "protocol/feed/encoding/decoded.hpp"

namespace sluice::feed {

// `encoding`: one of encoding_by_label(). `OnFault::stop`: the text ends before the first fault.
Decoded decode(std::string_view bytes, std::string_view encoding, std::size_t bytes_max, OnFault on_fault);

}  // namespace sluice::feed
