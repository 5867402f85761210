#include "protocol/feed/model/ignored_parts.hpp"

#include <algorithm>

#include "protocol/text/ascii.hpp"

namespace sluice::feed {

namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_parameter(const std::string& name) { return name.front() == '?'; }

// In a query, apart from what separates its parameters.
bool is_query_char(char c) {
    return text::is_ascii_letter(c) || text::is_ascii_digit(c) ||
           std::string_view("-._~!$'()*+,=:@/?%").find(c) != npos;
}

// Of a name that a trailing '*' stands for.
bool is_name_char_of_parameter(char c) {
    return text::is_ascii_letter(c) || text::is_ascii_digit(c) || c == '_' || c == '-' || c == '.';
}

// The length of what separates parameters, if the text begins with it, as it is written or escaped for HTML or (once
// too often) for JSON; else 0.
std::size_t separator_size(std::string_view text) {
    for (const std::string_view separator : {"&amp;", "&#38;", "&#038;", "&#x26;", "&", ";", "\\u0026"}) {
        if (text.starts_with(separator)) return separator.size();
    }
    return 0;
}

// The offset of the next separator, or `end`.
std::size_t end_of_parameter(std::string_view address, std::size_t at, std::size_t end) {
    for (; at < end; ++at) {
        const char c = address[at];
        if ((c == '&' || c == ';' || c == '\\') && separator_size(address.substr(at)) != 0) break;
    }
    return at;
}

// The offset of the '#' of the address's fragment, or its end. The '#' of a reference to '&' is none.
std::size_t fragment_of(std::string_view address, std::size_t at) {
    while ((at = address.find('#', at)) != npos) {
        if (address[at - 1] != '&' || separator_size(address.substr(at - 1)) == 1) return at;
        ++at;
    }
    return address.size();
}

}  // namespace

bool IgnoredParts::has_element(const KnownNamespace* known, std::string_view tree_prefix,
                               std::string_view local) const {
    if (local.empty() || (last_letters_ & letter_bit(local.back())) == 0) return false;
    for (const std::string& each : names_) {
        std::string_view prefix = each;
        if (!prefix.ends_with(local) || is_parameter(each)) continue;
        prefix.remove_suffix(local.size());
        if (prefix == tree_prefix || (known && prefix == known->prefix())) return true;
    }
    return false;
}

bool IgnoredParts::has_parameter(std::string_view parameter) const {
    const std::size_t size = std::min(parameter.find('='), parameter.size());
    if (size == parameter.size()) return false;
    for (const std::string& each : names_) {
        if (!is_parameter(each)) continue;
        std::string_view name = std::string_view(each).substr(1);
        std::string_view rest = parameter.substr(0, size);
        const bool is_prefix = name.ends_with('*');
        if (is_prefix) name.remove_suffix(1);
        if (!rest.starts_with(name)) continue;
        rest.remove_prefix(name.size());
        if (!rest.empty() && !(is_prefix && std::all_of(rest.begin(), rest.end(), is_name_char_of_parameter))) continue;
        return std::all_of(parameter.begin(), parameter.end(), is_query_char);
    }
    return false;
}

std::string_view IgnoredParts::without_parameters(std::string_view address, std::string& room) const {
    const std::size_t query = text::find_if(address, [](char c) { return c == '?' || c == '#'; });
    if (query == npos || address[query] == '#' || names_.empty()) return address;
    const std::size_t end = fragment_of(address, query);
    bool any = false;  // then `room` has what is left of the address so far
    for (std::size_t begin = query, separator = 1; separator != 0;) {
        const std::size_t name = begin + separator;
        const std::size_t behind = end_of_parameter(address, name, end);
        const std::string_view parameter = address.substr(name, behind - name);
        if (has_parameter(parameter)) {
            if (!any) room.assign(address, 0, begin);
            any = true;
        } else if (any) {
            room += room.size() == query ? std::string_view("?") : address.substr(begin, separator);
            room += parameter;
        }
        begin = behind;
        separator = behind == end ? 0 : separator_size(address.substr(behind, end - behind));
    }
    if (!any) return address;
    room += address.substr(end);
    return room;
}

}  // namespace sluice::feed
