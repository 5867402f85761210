// How much of a text is UTF-8. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::bytes {

// The size of the longest beginning of the text that is well-formed UTF-8: whole characters, none of them overlong, a
// surrogate or above U+10FFFF.
std::size_t utf8_prefix(std::string_view text);

// The same, without the characters that XML forbids: control characters other than tab, LF and CR, U+FFFE and U+FFFF.
std::size_t xml_prefix(std::string_view text);

}  // namespace sluice::bytes
