#include "protocol/wire/http/query.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::wire {

namespace {

constexpr std::size_t usual_further_max = 7;  // parameters beside the first; few queries have more

bool is_one_of_letters(char c, char letter) { return c == letter || c == letter - 'a' + 'A'; }

// Removes "http://host:port" or "https://…" and returns the part between the slashes and the path.
std::string_view take_authority(std::string_view& target) {
    constexpr std::string_view http = "http", after = "://";
    std::size_t i = 0;
    while (i < http.size() && i < target.size() && is_one_of_letters(target[i], http[i])) ++i;
    if (i < http.size()) return {};
    if (i < target.size() && is_one_of_letters(target[i], 's')) ++i;
    if (target.substr(i, after.size()) != after) return {};
    const std::size_t begin = i + after.size();
    const std::size_t end = std::min(target.find_first_of("/?#", begin), target.size());
    const std::string_view authority = target.substr(begin, end - begin);
    if (!authority.empty()) target.remove_prefix(end);
    return authority;
}

// "%65vents" -> "events". Other encodings stay: "%2F" is no separator.
std::string with_plain_unreserved(std::string_view path) {
    if (path.find('%') == std::string_view::npos) return std::string(path);
    std::string plain;
    plain.reserve(path.size());
    for (std::size_t i = 0; i < path.size(); ++i) {
        const int high = path[i] == '%' && i + 2 < path.size() ? text::hex_digit(path[i + 1]) : -1;
        const int low = high >= 0 ? text::hex_digit(path[i + 2]) : -1;
        const char c = static_cast<char>(high * 16 + low);
        const bool is_unreserved =
            low >= 0 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         std::string_view("-._~").find(c) != std::string_view::npos);
        plain += is_unreserved ? c : path[i];
        if (is_unreserved) i += 2;
    }
    return plain;
}

// Returns false at a "%" without two hex digits after it.
bool append_decoded(std::string& decoded, std::string_view text) {
    if (text::find_if(text, [](char c) { return c == '%' || c == '+'; }) == text.npos) {
        decoded.append(text);
        return true;
    }
    decoded.reserve(decoded.size() + text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+') {
            decoded += ' ';
        } else if (text[i] != '%') {
            decoded += text[i];
        } else {
            const int high = i + 2 < text.size() ? text::hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? text::hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) return false;
            decoded += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }
    return true;
}

}  // namespace

std::optional<std::string> decode_query_text(std::string_view text) {
    std::string decoded;
    if (!append_decoded(decoded, text)) return std::nullopt;
    return decoded;
}

std::optional<RequestTarget> parse_target(std::string_view target) {
    RequestTarget parsed;
    parsed.authority = take_authority(target);
    if (parsed.authority.empty() && !target.starts_with('/')) return std::nullopt;
    target = target.substr(0, target.find('#'));
    const std::size_t mark = target.find('?');
    parsed.path = with_plain_unreserved(target.substr(0, mark));
    if (parsed.path.empty()) parsed.path = "/";
    if (mark == std::string_view::npos) return parsed;
    std::string_view rest = target.substr(mark + 1);
    const auto further = static_cast<std::size_t>(std::count(rest.begin(), rest.end(), '&'));
    parsed.query.reserve(std::min(further, usual_further_max) + 1);
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('&'), rest.size());
        const std::string_view pair = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        if (pair.empty()) continue;
        const std::size_t equals = std::min(pair.find('='), pair.size());
        auto& [name, value] = parsed.query.emplace_back();
        if (!append_decoded(name, pair.substr(0, equals)) ||
            !append_decoded(value, pair.substr(std::min(equals + 1, pair.size()))))
            return std::nullopt;
    }
    return parsed;
}

}  // namespace sluice::wire
