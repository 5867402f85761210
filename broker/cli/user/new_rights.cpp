#include "broker/cli/user/new_rights.hpp"

#include <algorithm>

#include "broker/auth/users.hpp"
#include "broker/cli/user/users_lines.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::cli {

namespace {

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

}  // namespace

std::string find_fault_in_rights(const AddUserOptions& options, const std::vector<std::string>& roles) {
    for (const auto& [option, patterns] :
         {std::pair("--publish", &options.publish), std::pair("--subscribe", &options.subscribe),
          std::pair("--manage", &options.manage)})
        if (const std::string fault = find_fault_in_patterns(option, *patterns); !fault.empty()) return fault;
    if (!options.filter.empty())
        if (const std::string fault = auth::find_fault_in_row_filter(options.filter, {}); !fault.empty())
            return "--filter: " + fault;
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
