// Converts an offset to the line and column that a person looks for. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/feed/model/feed_error.hpp"

namespace sluice::feed {

struct TextPosition {
    std::size_t line = 1;    // 1-based; a line ends with LF, CR LF or CR
    std::size_t column = 1;  // 1-based, in characters of UTF-8; a byte order mark does not count
};

TextPosition position_in(std::string_view text, std::size_t offset);

// An error at an offset of `text`, which is the document in UTF-8, at least up to that offset.
FeedError error_at(FeedError::Kind kind, std::string_view text, std::size_t offset, std::string message);

}  // namespace sluice::feed
