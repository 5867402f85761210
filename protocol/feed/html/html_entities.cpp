#include "protocol/feed/html/html_entities.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "protocol/feed/encoding/windows_1252.hpp"
#include "protocol/feed/html/html_entity_table.hpp"
#include "protocol/text/ascii.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t entity_name_bytes_max = 31;  // CounterClockwiseContourIntegral
constexpr std::size_t legacy_name_bytes_max = 6;

// Cuts the first word off a list in which a space ends each word.
std::string_view next_word(std::string_view& words) {
    const std::size_t end = words.find(' ');
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(end + 1);
    return word;
}

// The text of "2242+338".
std::string text_of_codes(std::string_view codes) {
    std::string text;
    while (!codes.empty()) {
        std::uint32_t code = 0;
        const char* const end = std::from_chars(codes.begin(), codes.end(), code, 16).ptr;
        text::append_utf8(text, code);
        codes.remove_prefix(std::min(codes.size(), static_cast<std::size_t>(end - codes.begin()) + 1));
    }
    return text;
}

using Entities = std::unordered_map<std::string_view, std::string>;

const Entities& entities() {
    static const Entities all = [] {
        Entities texts;
        for (std::string_view words = html_entities; !words.empty();) {
            const std::string_view name = next_word(words);
            texts.emplace(name, text_of_codes(next_word(words)));
        }
        return texts;
    }();
    return all;
}

bool is_legacy_name(std::string_view name) {
    static const std::unordered_set<std::string_view> all = [] {
        std::unordered_set<std::string_view> names;
        for (std::string_view words = html_legacy_names; !words.empty();) names.insert(next_word(words));
        return names;
    }();
    return all.count(name) > 0;
}

bool is_xml_name(std::string_view name) {
    return name == "lt" || name == "gt" || name == "amp" || name == "quot" || name == "apos";
}

// Behind "&#".
HtmlReference numbered_reference(std::string_view html) {
    constexpr std::uint32_t no_character = 0xFFFD, code_max = 0x10FFFF;
    std::size_t at = 2;
    const bool is_hexadecimal = html.size() > at && (html[at] == 'x' || html[at] == 'X');
    if (is_hexadecimal) ++at;
    const std::uint32_t base = is_hexadecimal ? 16 : 10;
    const std::size_t begin = at;
    std::uint32_t code = 0;
    for (std::uint32_t digit = 0; at < html.size(); ++at) {
        if (std::from_chars(&html[at], &html[at] + 1, digit, static_cast<int>(base)).ptr == &html[at]) break;
        code = std::min(code * base + digit, code_max + 1);
    }
    if (at == begin) return {};
    if (at < html.size() && html[at] == ';') ++at;
    if (is_windows_1252_only(code)) return {at, std::string(windows_1252_text(code))};
    const bool is_character = code != 0 && code <= code_max && !(code >= 0xD800 && code <= 0xDFFF);
    HtmlReference reference{at, {}};
    text::append_utf8(reference.text, is_character ? code : no_character);
    return reference;
}

HtmlReference named_reference(std::string_view html) {
    const std::string_view name_and_more = html.substr(1, entity_name_bytes_max + 1);
    const auto name_end = std::find_if_not(name_and_more.begin(), name_and_more.end(),
                                           [](char c) { return text::is_ascii_letter(c) || text::is_ascii_digit(c); });
    const std::string_view name = name_and_more.substr(0, static_cast<std::size_t>(name_end - name_and_more.begin()));
    if (name_end != name_and_more.end() && *name_end == ';') {
        const auto found = entities().find(name);
        if (found != entities().end()) return {name.size() + 2, found->second};
    }
    for (std::size_t size = std::min(name.size(), legacy_name_bytes_max); size > 0; --size) {
        const std::string_view legacy = name.substr(0, size);
        if (!is_legacy_name(legacy)) continue;
        if (html.size() > 1 + size && html[1 + size] == '=') return {};
        return {1 + size, entities().at(legacy)};
    }
    return {};
}

}  // namespace

std::string_view html_entity(std::string_view name) {
    const auto found = entities().find(name);
    return found == entities().end() || is_xml_name(name) ? std::string_view() : std::string_view(found->second);
}

HtmlReference read_html_reference(std::string_view html) {
    return html.substr(1).starts_with('#') ? numbered_reference(html) : named_reference(html);
}

}  // namespace sluice::feed
