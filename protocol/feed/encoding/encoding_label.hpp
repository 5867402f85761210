// The names of encodings: what feeds call them, and what the WHATWG Encoding Standard does. Any thread.
#pragma once

#include <string_view>

namespace sluice::feed {

inline constexpr std::string_view utf8_encoding = "UTF-8";
inline constexpr std::string_view latin1_encoding = "windows-1252";

// The encoding that this label means in the standard, by its name there; "" if the label is unknown. Case and
// surrounding white space do not matter. A NUL follows the name. US-ASCII is read as UTF-8. UTF-16 without a byte order
// is little-endian, UTF-32 big-endian.
std::string_view encoding_by_label(std::string_view label);

// Whether it is "utf-8", in any case: the label of most documents.
bool is_usual_label(std::string_view label);

}  // namespace sluice::feed
