#include "broker/cli/user/new_rights.hpp"

#include <algorithm>
#include <string_view>

#include "broker/cli/user/users_lines.hpp"
#include "protocol/filter/filter.hpp"
#include "protocol/filter/siblings.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::cli {

namespace {

constexpr std::size_t name_letters_max = 64;

std::string in_brackets(const std::vector<std::string>& texts) {
    std::string list;
    for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + quoted_yaml(text);
    return "[" + list + "]";
}

std::string find_fault_in_patterns(const char* option, const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns)
        if (!text::StreamSelection::is_pattern(pattern))
            return std::string(option) + " must be " + std::string(text::StreamSelection::rule) + ", not " + pattern;
    return "";
}

// A row filter is decided for each event on its own, and for each that any subscription might get.
std::string find_fault_in_row_filter(const std::string& text) {
    const auto filter = filter::compile_filter(text);
    if (!filter) {
        const filter::FilterError& error = filter.error();
        return "--filter:" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message +
               "\n" + error.excerpt;
    }
    if (const auto part = filter::needs_siblings(*filter))
        return "--filter: " + *part + " may look beside the item, which the filter of a right can't";
    for (const filter::Leaf& leaf : filter->leaves)
        if (leaf.computed())
            return "--filter: " + leaf.text + " is computed (" + leaf.reason +
                   "), which the filter of a right can't be";
    return "";
}

}  // namespace

std::string find_fault_in_user_name(const std::string& name) {
    const bool is_name =
        !name.empty() && name.size() <= name_letters_max && std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view("-_.@").find(c) != std::string_view::npos;
        });
    return is_name ? "" : "the name of a user is 1 to 64 letters, digits, '-', '_', '.' and '@', not '" + name + "'";
}

std::string find_fault_in_rights(const AddUserOptions& options, const std::vector<std::string>& roles) {
    for (const auto& [option, patterns] :
         {std::pair("--publish", &options.publish), std::pair("--subscribe", &options.subscribe),
          std::pair("--manage", &options.manage)})
        if (const std::string fault = find_fault_in_patterns(option, *patterns); !fault.empty()) return fault;
    if (!options.filter.empty())
        if (const std::string fault = find_fault_in_row_filter(options.filter); !fault.empty()) return fault;
    for (const std::string& role : options.roles) {
        const bool is_built_in = role == "all" || role == "none";
        if (is_built_in || std::find(roles.begin(), roles.end(), role) != roles.end()) continue;
        std::string known = "all, none";
        for (const std::string& each : roles) known += ", " + each;
        return "there is no role '" + role + "' in the file; there are " + known;
    }
    return "";
}

std::vector<std::string> members_of_rights(const AddUserOptions& options) {
    std::vector<std::string> members;
    if (options.certificate) members.emplace_back("certificate: true");
    const auto add = [&](const char* name, const std::vector<std::string>& texts) {
        if (!texts.empty()) members.push_back(std::string(name) + ": " + in_brackets(texts));
    };
    add("roles", options.roles);
    add("publish", options.publish);
    if (options.filter.empty())
        add("subscribe", options.subscribe);
    else
        members.push_back("subscribe: [{streams: " + in_brackets(options.subscribe) +
                          ", filter: " + quoted_yaml(options.filter) + "}]");
    add("manage", options.manage);
    if (options.operate) members.emplace_back("operate: true");
    return members;
}

}  // namespace sluice::cli
