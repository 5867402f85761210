#include "protocol/filter/syntax/fault.hpp"

#include <algorithm>
#include <vector>

#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

constexpr std::size_t excerpt_characters_max = 76;
constexpr std::size_t excerpt_characters_before = 50;

// The line as displayable characters, one entry per character. Control characters and stray bytes are replaced, so that
// the caret below is in the right place.
std::vector<std::string> printable_characters(std::string_view line) {
    std::vector<std::string> characters;
    for (std::size_t i = 0; i < line.size();) {
        const auto [code, length] = text::utf8_at(line, i);
        const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
        characters.emplace_back(length > 0 && !control ? line.substr(i, length) : code == '\t' ? " " : "\uFFFD");
        i += std::max<std::size_t>(1, length);
    }
    return characters;
}

std::string excerpt(std::string_view line, std::size_t column) {
    const std::vector<std::string> characters = printable_characters(line);
    std::size_t begin = 0;
    if (characters.size() > excerpt_characters_max && column > excerpt_characters_before)
        begin = std::min(column - excerpt_characters_before, characters.size() - excerpt_characters_max);
    const std::size_t end = std::min(characters.size(), begin + excerpt_characters_max);

    std::string text = begin > 0 ? "…" : "";
    for (std::size_t i = begin; i < end; ++i) text += characters[i];
    if (end < characters.size()) text += "…";
    const std::size_t caret = column - 1 - begin + (begin > 0 ? 1 : 0);
    return text + "\n" + std::string(caret, ' ') + "^";
}

}  // namespace

FilterError locate(const Fault& fault, std::string_view text) {
    FilterError error;
    error.message = fault.message;
    error.offset = std::min(fault.offset, text.size());

    const std::string_view before = text.substr(0, error.offset);
    error.line = 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t line_begin = before.find_last_of('\n') + 1;  // npos + 1 is 0
    error.column = 1 + text::count_characters(before.substr(line_begin));
    std::string_view line = text.substr(line_begin, text.find('\n', error.offset) - line_begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    error.excerpt = excerpt(line, error.column);
    return error;
}

}  // namespace sluice::filter
