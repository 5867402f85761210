// The names of encodings: what feeds call them, and what iconv calls them. Only these reach iconv, which has many more
// and takes options in a name. Any thread.
#pragma once

#include <string_view>

namespace sluice::feed {

inline constexpr std::string_view utf8_encoding = "UTF-8";
inline constexpr std::string_view latin1_encoding = "windows-1252";

// iconv's name for the encoding that this label means in the WHATWG Encoding Standard; "" if the label is unknown. Case
// and surrounding white space do not matter. A NUL follows the name. US-ASCII is read as UTF-8. UTF-16 without a byte
// order is little-endian, UTF-32 big-endian.
std::string_view encoding_by_label(std::string_view label);

}  // namespace sluice::feed
