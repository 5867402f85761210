// Where iconv's charsets differ from the index tables of the WHATWG Encoding Standard. Pure function; any thread.
#pragma once

#include <string_view>
#include <vector>

namespace sluice::feed {

// `index`: what iconv says for the index of this name (encoding_index.hpp), by pointer.
void correct_index(std::string_view name, std::vector<char32_t>& index);

}  // namespace sluice::feed
