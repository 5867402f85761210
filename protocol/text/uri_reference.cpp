#include "protocol/text/uri_reference.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

namespace {

constexpr std::size_t npos = std::string_view::npos;

// The five components (RFC 3986, appendix B), with their delimiters: "http:", "//host", "/path", "?query", "#fragment".
struct Components {
    std::string_view scheme, authority, path, query, fragment;
};

std::string_view take(std::string_view& text, std::size_t bytes) {
    const std::string_view taken = text.substr(0, bytes);
    text.remove_prefix(taken.size());
    return taken;
}

constexpr bool ends_path(char c) { return c == '?' || c == '#'; }
constexpr bool ends_authority(char c) { return c == '/' || ends_path(c); }

std::size_t scheme_bytes(std::string_view text) {
    if (text.empty() || !is_ascii_letter(text[0])) return 0;
    const auto end = std::find_if_not(text.begin(), text.end(), [](char c) {
        return is_ascii_letter(c) || is_ascii_digit(c) || c == '+' || c == '-' || c == '.';
    });
    return end != text.end() && *end == ':' ? static_cast<std::size_t>(end - text.begin()) + 1 : 0;
}

Components split(std::string_view text) {
    Components parts;
    parts.scheme = take(text, scheme_bytes(text));
    if (text.starts_with("//")) parts.authority = take(text, std::min(find_if(text, ends_authority, 2), text.size()));
    parts.path = take(text, std::min(find_if(text, ends_path), text.size()));
    parts.query = take(text, std::min(text.find('#'), text.size()));
    parts.fragment = text;
    return parts;
}

// §5.2.4 for a path that begins with '/'.
std::string without_dot_segments(std::string_view path) {
    std::string result;
    while (!path.empty()) {
        const std::string_view segment = take(path, std::min(path.find('/', 1), path.size()));  // "/name"
        const bool last = path.empty();
        if (segment == "/..") result.erase(std::min(result.rfind('/'), result.size()));
        if (segment != "/." && segment != "/..")
            result += segment;
        else if (last)
            result += '/';
    }
    return result;
}

// §5.2.3.
std::string merged(const Components& base, std::string_view path) {
    const std::size_t folder = base.path.rfind('/');
    const std::string_view before = folder == std::string_view::npos ? "/" : base.path.substr(0, folder + 1);
    return std::string(before).append(path);
}

constexpr std::string_view unreserved_marks = "-._~";
constexpr std::string_view reserved = ":/?#[]@!$&'()*+,;=";

bool is_unreserved(char c) { return is_ascii_letter(c) || is_ascii_digit(c) || unreserved_marks.find(c) != npos; }

void append_encoded(std::string& out, char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += digits[byte >> 4];
    out += digits[byte & 15];
}

// The character of the percent-encoding that begins at `at`.
std::optional<char> encoded_char(std::string_view text, std::size_t at) {
    if (at + 2 >= text.size() || text[at] != '%') return std::nullopt;
    const int high = hex_digit(text[at + 1]), low = hex_digit(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<char>(high * 16 + low);
}

// §6.2.2.2. A '%' that begins no encoding stays.
std::string with_comparable_encodings(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::optional<char> encoded = encoded_char(text, at);
        const char c = encoded.value_or(text[at]);
        if (encoded) at += 2;
        const bool is_written = is_unreserved(c) || (!encoded && (c == '%' || reserved.find(c) != npos));
        is_written ? void(result += c) : append_encoded(result, c);
    }
    return result;
}

// "//user@host:port", or nothing.
std::string comparable_authority(std::string_view scheme, std::string_view authority) {
    if (authority.empty()) return {};
    const std::size_t host = authority.find('@') == npos ? 2 : authority.rfind('@') + 1;
    const std::size_t bracket = authority.find(']', host);  // of an IPv6 address
    const std::size_t colon = authority.find(':', bracket == npos ? host : bracket);
    const std::string_view port = colon == npos ? std::string_view() : authority.substr(colon);
    const bool is_usual = port == ":" || (port == ":80" && scheme == "http:") || (port == ":443" && scheme == "https:");
    std::string lower = with_comparable_encodings(authority.substr(host, std::min(colon, authority.size()) - host));
    for (std::size_t at = 0; at < lower.size(); ++at) {
        if (lower[at] == '%')
            at += 2;
        else
            lower[at] = ascii_lower(lower[at]);
    }
    return with_comparable_encodings(authority.substr(0, host)) + lower + std::string(is_usual ? "" : port);
}

constexpr std::array<bool, 256> make_uri_chars() {
    std::array<bool, 256> chars{};
    for (std::size_t c = 0; c < 128; ++c)
        chars[c] = is_ascii_letter(static_cast<char>(c)) || is_ascii_digit(static_cast<char>(c));
    for (const std::string_view marks : {unreserved_marks, reserved})
        for (const char c : marks) chars[static_cast<unsigned char>(c)] = true;
    return chars;
}

}  // namespace

bool is_absolute_uri(std::string_view reference) { return scheme_bytes(reference) > 0; }

std::string resolve_reference(std::string_view base, std::string_view reference) {
    const Components from = split(base), to = split(reference);
    const bool hierarchical = !from.authority.empty() || from.path.starts_with('/');
    if (!to.scheme.empty() || from.scheme.empty() || !hierarchical) return std::string(reference);
    std::string target(from.scheme);
    if (!to.authority.empty()) {
        const std::string path = without_dot_segments(to.path);
        return target.append(to.authority).append(path).append(to.query).append(to.fragment);
    }
    target.append(from.authority);
    if (to.path.empty())
        return target.append(from.path).append(to.query.empty() ? from.query : to.query).append(to.fragment);
    const std::string path = to.path.starts_with('/') ? std::string(to.path) : merged(from, to.path);
    return target.append(without_dot_segments(path)).append(to.query).append(to.fragment);
}

std::string comparable_uri(std::string_view uri) {
    const Components parts = split(uri);
    const std::string scheme = ascii_lower(parts.scheme);
    std::string path = with_comparable_encodings(parts.path);
    if (scheme == "urn:") {
        const std::size_t name = std::min(path.find(':'), path.size());
        path = ascii_lower(std::string_view(path).substr(0, name)) + path.substr(name);
    } else if (path.starts_with('/')) {
        path = without_dot_segments(path);
    }
    if (path.empty() && (scheme == "http:" || scheme == "https:")) path = "/";
    return scheme + comparable_authority(scheme, parts.authority) + path + with_comparable_encodings(parts.query) +
           with_comparable_encodings(parts.fragment);
}

bool is_comparable_address(std::string_view uri) {
    static constexpr std::array<bool, 256> uri_chars = make_uri_chars();
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (!uri.starts_with(scheme)) continue;
        const auto is_of_name = [](char c) {
            return (c >= 'a' && c <= 'z') || is_ascii_digit(c) || c == '.' || c == '-';
        };
        std::size_t at = scheme.size();
        while (at < uri.size() && is_of_name(uri[at])) ++at;
        if (at == scheme.size() || at == uri.size() || uri[at] != '/') return false;
        for (; at < uri.size(); ++at)
            if (!uri_chars[static_cast<unsigned char>(uri[at])] || (uri[at] == '.' && uri[at - 1] == '/')) return false;
        return true;
    }
    return false;
}

}  // namespace sluice::text
