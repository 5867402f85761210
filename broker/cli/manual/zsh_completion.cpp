#include "broker/cli/manual/completion.hpp"
#include "broker/cli/manual/words.hpp"

namespace sluice::cli {

namespace {

// "_of_sluice_user_add", the function that completes what follows "sluice user add".
std::string function_name(const std::string& path) {
    std::string name = "_of_" + path;
    for (char& c : name) {
        if (c == ' ') c = '_';
    }
    return name;
}

// Without what would end a description in a specification for _arguments or _describe.
std::string zsh_escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '\\' || c == '[' || c == ']' || c == ':') result += '\\';
        result += c;
    }
    return result;
}

// ":FILE:_files", what _arguments does for a value.
std::string action_of(const CommandOption& option) {
    const std::string action = ":" + zsh_escaped(option.value_name) + ":";
    if (option.kind == ValueKind::file) return action + "_files";
    if (option.kind != ValueKind::choice) return action + " ";  // nothing
    return action + "(" + words_of(option.choices) + ")";
}

void write_option(const CommandOption& option, std::string& script) {
    const bool has_value = option.kind != ValueKind::none;
    for (const std::string& name : option.names) {
        const char* const joint = !has_value ? "" : name.starts_with("--") ? "=" : "+";
        const std::string once = option.repeated ? "*" : "(" + words_of(option.names) + ")";
        script += " \\\n        " + shell_quoted(once + name + joint + "[" + zsh_escaped(option.description) + "]" +
                                                 (has_value ? action_of(option) : ""));
    }
}

void write_function(const Command& command, std::string& script) {
    script += function_name(command.path) + "() {\n";
    if (!command.commands.empty()) {
        script += "    local line state ret=1\n    local -A opt_args\n    local -a subcommands=(";
        for (const Command& each : command.commands)
            script += "\n        " +
                      shell_quoted(each.path.substr(command.path.size() + 1) + ":" + zsh_escaped(each.description));
        script += "\n    )\n";
    }
    script += command.commands.empty() ? "    _arguments -S :" : "    _arguments -S -C :";
    for (const CommandOption& option : command.options) write_option(option, script);
    if (!command.commands.empty()) {
        script +=
            " \\\n        '1: :{_describe command subcommands}' '*::: :->command' && ret=0\n"
            "    [[ $state == command ]] || return ret\n"
            "    words=($line[1] \"${words[@]}\") && ((++CURRENT))\n"
            "    case $line[1] in\n";
        for (const Command& each : command.commands)
            script +=
                "        " + each.path.substr(command.path.size() + 1) + ") " + function_name(each.path) + " ;;\n";
        script += "    esac\n}\n\n";
    } else {
        for (const CommandOption& argument : command.arguments)
            script +=
                " \\\n        " + shell_quoted((argument.repeated && argument.kind != ValueKind::choice ? "*" : "") +
                                               action_of(argument));
        script += "\n}\n\n";
    }
    for (const Command& each : command.commands) write_function(each, script);
}

}  // namespace

std::string zsh_completion(const Programs& programs) {
    std::string script = "#compdef";
    for (const Command& program : programs) script += " " + program.path;
    script += "\n# Completion of sluice and sluiced in zsh, printed by: sluice completion zsh\n\n";
    for (const Command& program : programs) write_function(program, script);
    // Loaded from a folder of $fpath, the file is the function that completes; else it says what does.
    return script +
           "_sluice() { _of_$service; }\n\n"
           "if [[ $funcstack[1] == _sluice ]]; then _sluice \"$@\"; else compdef _sluice sluice sluiced; fi\n";
}

}  // namespace sluice::cli
