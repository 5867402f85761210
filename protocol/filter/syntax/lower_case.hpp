// Unicode's lower case, as lower-case() gives it: the full mappings of the Unicode Standard §3.13 without those of
// single languages, which are Python's str.lower(). Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::filter {

// Bytes that are not valid UTF-8 stay unchanged. The lower case of a lower-case text is itself.
std::string lower_case(std::string_view utf8);

}  // namespace sluice::filter
