// What a document itself says about its encoding. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::feed {

// Each is empty if it is absent.
struct EncodingClues {
    std::string_view mark;       // the encoding of the byte order mark
    std::size_t mark_bytes = 0;  // its length
    std::string_view zeros;      // UTF-16 or UTF-32, told by the first bytes of XML (XML 1.0, appendix F)
    std::string_view declared;   // the label in the XML declaration
};

EncodingClues find_encoding_clues(std::string_view bytes);

// UTF-16 or UTF-32.
bool is_wide_encoding(std::string_view encoding);

}  // namespace sluice::feed
