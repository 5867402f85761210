// Turns an offset into the line and column that a person looks for. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/feed/feed_error.hpp"

namespace sluice {

struct TextPosition {
    std::size_t line = 1;    // 1-based; a line ends with LF, CR LF or CR
    std::size_t column = 1;  // 1-based, in characters of UTF-8; a byte order mark has none
};

TextPosition position_in(std::string_view text, std::size_t offset);

// An error at an offset of `text`, the document in UTF-8 up to that place at least.
FeedError error_at(FeedError::Kind kind, std::string_view text, std::size_t offset, std::string message);

}  // namespace sluice
