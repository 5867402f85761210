// Bytes as the encoding windows-1252 means them. Pure functions; any thread.
#pragma once

#include <string_view>

namespace sluice::feed {

// Undefined bytes become the control characters with the same number.
char32_t windows_1252_character(unsigned char byte);

// Whether this byte differs from the character with its number: 0x80 to 0x9F, without five undefined ones.
bool is_windows_1252_only(char32_t code);
// The text of such a byte, in UTF-8; static.
std::string_view windows_1252_text(char32_t code);

}  // namespace sluice::feed
