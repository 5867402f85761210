// Base64 (RFC 4648 §4) in texts. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::text {

// The bytes. White space is skipped; nothing for text that is not base64 with its padding.
std::optional<std::string> decode_base64(std::string_view text);

// With padding, without white space.
std::string encode_base64(std::string_view bytes);

}  // namespace sluice::text
