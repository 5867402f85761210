#include "protocol/text/uri_reference.hpp"

#include <algorithm>
#include <optional>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

namespace {

// The five components (RFC 3986, appendix B), with their delimiters: "http:", "//host", "/path", "?query", "#fragment".
struct Components {
    std::string_view scheme, authority, path, query, fragment;
};

std::string_view take(std::string_view& text, std::size_t bytes) {
    const std::string_view taken = text.substr(0, bytes);
    text.remove_prefix(taken.size());
    return taken;
}

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
    if (text.starts_with("//")) parts.authority = take(text, std::min(text.find_first_of("/?#", 2), text.size()));
    parts.path = take(text, std::min(text.find_first_of("?#"), text.size()));
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

}  // namespace sluice::text
