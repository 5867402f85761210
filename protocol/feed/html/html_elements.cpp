#include "protocol/feed/html/html_elements.hpp"

#include <algorithm>
#include <iterator>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

template <std::size_t N>
bool is_among(std::string_view name, const std::string_view (&names)[N]) {
    const auto is_it = [&](std::string_view other) {
        return std::equal(name.begin(), name.end(), other.begin(), other.end(),
                          [](char a, char b) { return text::ascii_lower(a) == b; });
    };
    return std::any_of(std::begin(names), std::end(names), is_it);
}

constexpr std::string_view void_names[] = {"br",       "hr",  "img",   "input", "meta",  "area", "base",
                                           "basefont", "col", "embed", "frame", "param", "wbr"};
constexpr std::string_view further_void_names[] = {"link", "source", "track", "keygen", "bgsound"};
constexpr std::string_view ended_by_their_like[] = {"p", "li", "dt", "dd", "tr", "td", "th", "option"};
constexpr std::string_view inline_names[] = {
    "a",    "abbr",   "acronym", "b",   "bdi", "bdo",  "big",  "cite", "code", "del", "dfn",  "em",
    "font", "i",      "img",     "ins", "kbd", "mark", "nobr", "q",    "ruby", "s",   "samp", "small",
    "span", "strike", "strong",  "sub", "sup", "time", "tt",   "u",    "var",  "wbr"};
constexpr std::string_view root_names[] = {"html", "head",   "body",  "div",    "p",     "h1",  "h2",
                                           "h3",   "center", "table", "span",   "br",    "hr",  "img",
                                           "font", "b",      "ul",    "script", "style", "meta"};

}  // namespace

bool is_void_in_html(std::string_view name) { return is_among(name, void_names); }
bool has_no_end_tag_in_html(std::string_view name) {
    return is_void_in_html(name) || is_among(name, further_void_names);
}
bool ends_at_its_like_in_html(std::string_view name) { return is_among(name, ended_by_their_like); }
bool is_inline_in_html(std::string_view name) { return is_among(name, inline_names); }
bool is_root_of_html(std::string_view name) { return is_among(name, root_names); }

}  // namespace sluice::feed
