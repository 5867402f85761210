// The names of encodings: what feeds call them, and what iconv calls them. Only these reach iconv, which has many more
// and takes options in a name. Any thread.
#pragma once

#include <string_view>

namespace sluice {

inline constexpr std::string_view utf8_encoding = "UTF-8";
inline constexpr std::string_view latin1_encoding = "windows-1252";

// iconv's name of the encoding that the WHATWG Encoding Standard understands by this label, in any case; empty if it is
// not known. A NUL follows the name. US-ASCII is taken for UTF-8; UTF-16 and UTF-32 without a byte order are
// big-endian.
std::string_view encoding_by_label(std::string_view label);

}  // namespace sluice
