#include "protocol/feed/model/text_position.hpp"

#include <algorithm>
#include <utility>

#include "protocol/text/utf8.hpp"

namespace sluice::feed {

TextPosition position_in(std::string_view text, std::size_t offset) {
    text = text.substr(0, std::min(offset, text.size()));
    TextPosition position;
    std::size_t line_begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool ends_line = text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'));
        if (!ends_line) continue;
        ++position.line;
        line_begin = i + 1;
    }
    std::string_view line = text.substr(line_begin);
    if (line_begin == 0 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    position.column += text::count_characters(line);
    return position;
}

FeedError error_at(FeedError::Kind kind, std::string_view text, std::size_t offset, std::string message) {
    const TextPosition position = position_in(text, offset);
    return FeedError{kind, std::move(message), offset, position.line, position.column};
}

}  // namespace sluice::feed
