#include "broker/cli/manual/completion.hpp"
#include "broker/cli/manual/words.hpp"

namespace sluice::cli {

namespace {

// Follows the command line to the word that is completed.
constexpr const char* fish_walk = R"(
# Whether the command line is that of a command, with at least and at most so many arguments before the cursor.
function __sluice_at --argument-names wanted least most
    set -l tokens (commandline -opc)
    set -l command (string replace -r '.*/' '' -- $tokens[1])
    set -l words 0
    set -l dashes
    set -l skip
    for token in $tokens[2..]
        if test -n "$skip"
            set skip
        else if test -n "$dashes"
            set words (math $words + 1)
        else if test "x$token" = x--
            set dashes yes
        else if string match -q -r '^--.*=' -- $token
        else if string match -q -r '^-.' -- $token
            if contains -- "$command $token" $__sluice_options_with_values
                set skip yes
            end
        else if contains -- "$command $token" $__sluice_commands
            set command "$command $token"
            set words 0
        else
            set words (math $words + 1)
        end
    end
    test "$command" = "$wanted"
    and test $words -ge $least -a $words -le $most
end

)";

void collect_paths(const Command& command, std::string& commands, std::string& options) {
    commands += " " + shell_quoted(command.path);
    for (const CommandOption& option : command.options) {
        if (option.kind == ValueKind::none) continue;
        for (const std::string& name : option.names) options += " " + shell_quoted(command.path + " " + name);
    }
    for (const Command& each : command.commands) collect_paths(each, commands, options);
}

std::string condition_of(const Command& command, const std::string& counts) {
    return "-n " + shell_quoted("__sluice_at \"" + command.path + "\" " + counts);
}

// What the value of an option or an argument may be.
std::string values_in_fish(const CommandOption& option) {
    if (option.kind == ValueKind::file) return " -F";
    if (option.kind != ValueKind::choice) return "";
    return " -a " + shell_quoted(words_of(option.choices));
}

void write_command(const Command& command, const std::string& program, std::string& script) {
    const std::string any = condition_of(command, "0 9999");
    for (const CommandOption& option : command.options) {
        script += "complete -c " + program + " " + any;
        for (const std::string& name : option.names)
            script += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        if (option.kind != ValueKind::none)
            script += (option.kind == ValueKind::file ? " -r" : " -x") + values_in_fish(option);
        script += " -d " + shell_quoted(option.description) + "\n";
    }
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
        const CommandOption& argument = command.arguments[i];
        if (argument.kind == ValueKind::word) continue;
        const bool repeated = argument.repeated && argument.kind == ValueKind::file;
        const std::string counts = std::to_string(i) + " " + (repeated ? "9999" : std::to_string(i));
        script += "complete -c " + program + " " + condition_of(command, counts) + values_in_fish(argument) + "\n";
    }
    for (const Command& each : command.commands) {
        script += "complete -c " + program + " " + condition_of(command, "0 0") + " -a " +
                  each.path.substr(command.path.size() + 1) + " -d " + shell_quoted(each.description) + "\n";
    }
    for (const Command& each : command.commands) write_command(each, program, script);
}

}  // namespace

std::string fish_completion(const Programs& programs) {
    std::string commands, options;
    for (const Command& program : programs) collect_paths(program, commands, options);
    std::string script =
        "# Completion of sluice and sluiced in fish, printed by: sluice completion fish\n\n"
        "set -g __sluice_commands" +
        commands + "\nset -g __sluice_options_with_values" + options + "\n";
    script += fish_walk;
    for (const Command& program : programs) {
        script += "complete -c " + program.path + " -f\n";  // no names of files, unless they are asked for
        write_command(program, program.path, script);
    }
    return script;
}

}  // namespace sluice::cli
