#include "protocol/text/trace_context.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "protocol/text/ascii.hpp"

namespace sluice::text {

namespace {

// 2 + 1 + 32 + 1 + 16 + 1 + 2 characters: version, trace-id, parent-id and flags.
constexpr std::size_t parent_bytes = 55;
constexpr std::size_t later_parent_bytes_max = 512;  // of a version whose length is not known

constexpr std::size_t members_max = 32;
constexpr std::size_t state_bytes_max = 512;
constexpr std::size_t long_member_bytes = 128;
constexpr std::size_t key_bytes_max = 256, tenant_bytes_max = 241, system_bytes_max = 14;
constexpr std::size_t value_bytes_max = 256;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return is_ascii_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) { return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos; }

bool is_visible(char c) { return c > ' ' && c <= '~'; }

bool is_key_character(char c) {
    return is_lower(c) || is_ascii_digit(c) || c == '_' || c == '-' || c == '*' || c == '/';
}

bool is_key_part(std::string_view text, std::size_t bytes_max, bool may_begin_with_digit) {
    return !text.empty() && text.size() <= bytes_max &&
           (is_lower(text[0]) || (may_begin_with_digit && is_ascii_digit(text[0]))) &&
           std::all_of(text.begin(), text.end(), is_key_character);
}

bool is_key(std::string_view text) {
    const std::size_t at = text.find('@');
    if (at == std::string_view::npos) return is_key_part(text, key_bytes_max, false);
    return is_key_part(text.substr(0, at), tenant_bytes_max, true) &&
           is_key_part(text.substr(at + 1), system_bytes_max, false);
}

bool is_value(std::string_view text) {
    const auto is_allowed = [](char c) { return c == ' ' || (is_visible(c) && c != ',' && c != '='); };
    return !text.empty() && text.size() <= value_bytes_max && text.back() != ' ' &&
           std::all_of(text.begin(), text.end(), is_allowed);
}

bool is_member(std::string_view text) {
    const std::size_t equals = text.find('=');
    return equals != std::string_view::npos && is_key(text.substr(0, equals)) && is_value(text.substr(equals + 1));
}

std::string_view without_blanks_around(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

// The members of a well-formed tracestate; empty if it is not.
std::vector<std::string_view> members_of(std::string_view state) {
    std::vector<std::string_view> members;
    for (std::size_t begin = 0; begin <= state.size();) {
        const std::size_t end = std::min(state.find(',', begin), state.size());
        const std::string_view member = without_blanks_around(state.substr(begin, end - begin));
        begin = end + 1;
        if (member.empty()) continue;
        if (members.size() == members_max || !is_member(member)) return {};
        members.push_back(member);
    }
    return members;
}

// The length of the members with the commas between them.
std::size_t joined_bytes(const std::vector<std::string_view>& members) {
    std::size_t bytes = members.empty() ? 0 : members.size() - 1;
    for (const std::string_view member : members) bytes += member.size();
    return bytes;
}

void shorten(std::vector<std::string_view>& members) {
    const auto is_long = [](std::string_view member) { return member.size() > long_member_bytes; };
    while (joined_bytes(members) > state_bytes_max) {
        const auto last_long = std::find_if(members.rbegin(), members.rend(), is_long);
        members.erase(last_long == members.rend() ? members.end() - 1 : last_long.base() - 1);
    }
}

std::string read_state(std::string_view state) {
    std::vector<std::string_view> members = members_of(state);
    shorten(members);
    std::string joined;
    joined.reserve(joined_bytes(members));
    for (const std::string_view member : members) {
        if (!joined.empty()) joined += ',';
        joined += member;
    }
    return joined;
}

}  // namespace

bool is_trace_parent(std::string_view text) {
    if (text.size() < parent_bytes || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
    const std::string_view version = text.substr(0, 2), rest = text.substr(parent_bytes);
    if (!is_hex(version) || version == "ff") return false;
    if (!is_id(trace_id(text)) || !is_id(text.substr(36, 16)) || !is_hex(text.substr(53, 2))) return false;
    if (rest.empty()) return true;
    return version != "00" && rest[0] == '-' && text.size() <= later_parent_bytes_max &&
           std::all_of(rest.begin(), rest.end(), is_visible);
}

TraceContext trace_context(std::string_view parent, std::string_view state) {
    if (!is_trace_parent(parent)) return {};
    return {std::string(parent), read_state(state)};
}

}  // namespace sluice::text
