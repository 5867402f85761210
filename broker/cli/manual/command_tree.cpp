#include "broker/cli/manual/command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string_view>

#include "broker/base/program/command_line.hpp"

namespace sluice::cli {

namespace {

// Whether a value of this name in --help is the name of a file or folder.
bool is_file_name(const std::string& value_name, bool is_argument) {
    constexpr std::string_view file_names[] = {"COSTS", "DIR", "PATTERNS", "QUERY", "SERIES", "STORE", "TEXTS"};
    const bool is_text = is_argument && value_name == "TEXT";  // of options, TEXT is any string
    return is_text || value_name.starts_with("FILE") ||
           std::find(std::begin(file_names), std::end(file_names), value_name) != std::end(file_names);
}

std::vector<std::string> sorted_names(const std::set<CLI::Option*>& options) {
    std::vector<std::string> names;
    for (const CLI::Option* option : options) names.push_back(option->get_name(option->get_positional()));
    std::sort(names.begin(), names.end());
    return names;
}

CommandOption shape_of(CLI::Option& from) {
    CommandOption option;
    if (from.get_positional()) {
        option.names = {from.get_name(true)};
    } else {
        for (const std::string& name : from.get_snames()) option.names.push_back("-" + name);
        for (const std::string& name : from.get_lnames()) option.names.push_back("--" + name);
    }
    option.value_name = from.get_positional() ? from.get_name(true) : from.get_type_name();
    if (!option.value_name.empty()) {  // else a flag
        option.choices = base::choices_of(from);
        option.kind = !option.choices.empty()                                  ? ValueKind::choice
                      : is_file_name(option.value_name, from.get_positional()) ? ValueKind::file
                                                                               : ValueKind::word;
        option.default_value = from.get_default_str();
        option.repeated = from.get_items_expected_max() > 1;
    }
    option.description = from.get_description();
    option.environment = from.get_envname();
    option.needs = sorted_names(from.get_needs());
    option.excludes = sorted_names(from.get_excludes());
    option.required = from.get_required();
    return option;
}

bool has_option(const Command& command, const CommandOption& wanted) {
    return std::any_of(command.options.begin(), command.options.end(),
                       [&](const CommandOption& option) { return option.names == wanted.names; });
}

Command tree_of(CLI::App& app, const Command* parent) {
    Command command;
    command.path = (parent != nullptr ? parent->path + " " : "") + app.get_name();
    command.description = app.get_description();
    // Commands without a footer inherit one.
    if (parent == nullptr || app.get_footer() != app.get_parent()->get_footer()) command.footer = app.get_footer();
    for (CLI::Option* option : app.get_options()) {
        if (!option->get_group().empty())
            (option->get_positional() ? command.arguments : command.options).push_back(shape_of(*option));
    }
    if (parent != nullptr && app.get_fallthrough()) {
        for (const CommandOption& option : parent->options) {
            if (!has_option(command, option)) command.options.push_back(option);
        }
    }
    for (CLI::App* each : app.get_subcommands([](CLI::App*) { return true; }))
        command.commands.push_back(tree_of(*each, &command));
    return command;
}

}  // namespace

Command command_tree(CLI::App& app) { return tree_of(app, nullptr); }

}  // namespace sluice::cli
