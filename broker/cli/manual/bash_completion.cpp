#include <map>
#include <set>

#include "broker/cli/manual/completion.hpp"
#include "broker/cli/manual/words.hpp"

namespace sluice::cli {

namespace {

// Follows the command line to the word that is completed. bash splits "--option=value" into three words, unless "=" is
// taken out of COMP_WORDBREAKS.
constexpr const char* bash_walk = R"(
_sluice() {
    local command=${1##*/} word=${COMP_WORDS[COMP_CWORD]} option= dashes= prefix= commands options values each
    local -i i words=0
    COMPREPLY=()
    _sluice_command "$command" || return 0
    for ((i = 1; i < COMP_CWORD; ++i)); do
        each=${COMP_WORDS[i]}
        if [[ $option ]]; then
            [[ $each == = ]] || option=
        elif [[ $each == = ]]; then # and the value of a flag
            ((++i < COMP_CWORD)) || return 0
        elif [[ ! $dashes && $each == -- ]]; then
            dashes=1
        elif [[ ! $dashes && $each == -?* ]]; then
            ! _sluice_values "$command $each" || option=$each
        elif [[ ! $dashes ]] && _sluice_command "$command $each"; then
            command+=" $each"
            words=0
        else
            words+=1
        fi
    done
    if [[ $word == = ]]; then
        [[ $option ]] || return 0
        word=
    elif [[ ! $option && ! $dashes && $word == --*=* ]]; then
        option=${word%%=*} prefix=${word%%=*}= word=${word#*=}
    fi
    if [[ ! $option && ! $dashes && $word == -* ]]; then
        _sluice_command "$command"
        values=$options
    elif ! _sluice_values "$command ${option:-$words}"; then
        [[ ! $option ]] || return 0
        values=
    fi
    if [[ ! $option && ! $dashes && $word != -* ]] && ((words == 0)); then
        _sluice_command "$command"
        values+=" $commands"
    fi
    if [[ $values == /* ]]; then
        compopt -o default # which knows how names of files are quoted
    else
        mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$values" -- "$word")
    fi
}

)";

std::string names_of(const std::vector<CommandOption>& options) {
    std::string text;
    for (const CommandOption& option : options) text += (text.empty() ? "" : " ") + words_of(option.names);
    return text;
}

// The commands, each with what can follow it.
void write_commands(const Command& command, std::string& script) {
    std::vector<std::string> names;
    for (const Command& each : command.commands) names.push_back(each.path.substr(command.path.size() + 1));
    script += "        " + shell_quoted(command.path) + ") commands=" + shell_quoted(words_of(names)) +
              " options=" + shell_quoted(names_of(command.options)) + " ;;\n";
    for (const Command& each : command.commands) write_commands(each, script);
}

std::string values_of(const CommandOption& option) {
    return option.kind == ValueKind::file ? "/" : words_of(option.choices);
}

// The patterns of "command --option" and "command 0", the command's first argument, by what is expected there.
void collect_values(const Command& command, std::map<std::string, std::set<std::string>>& patterns) {
    for (const CommandOption& option : command.options) {
        if (option.kind == ValueKind::none) continue;
        for (const std::string& name : option.names)
            patterns[values_of(option)].insert(shell_quoted(command.path + " " + name));
    }
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
        const CommandOption& argument = command.arguments[i];
        if (argument.kind == ValueKind::word) continue;
        const std::string number = std::to_string(i);
        const bool repeated = argument.repeated && argument.kind == ValueKind::file;
        patterns[values_of(argument)].insert(repeated ? shell_quoted(command.path + " ") + "[" + number + "-9]*"
                                                      : shell_quoted(command.path + " " + number));
    }
    for (const Command& each : command.commands) collect_values(each, patterns);
}

}  // namespace

std::string bash_completion(const Programs& programs) {
    std::string script =
        "# Completion of sluice and sluiced in bash, printed by: sluice completion bash\n\n"
        "_sluice_command() {\n    case $1 in\n";
    for (const Command& program : programs) write_commands(program, script);
    script += "        *) return 1 ;;\n    esac\n}\n\n_sluice_values() {\n    case $1 in\n";
    std::map<std::string, std::set<std::string>> patterns;
    for (const Command& program : programs) collect_values(program, patterns);
    for (const auto& [values, where] : patterns) {
        std::string text;
        for (const std::string& pattern : where) text += (text.empty() ? "" : " | \\\n            ") + pattern;
        script += "        " + text + ")\n            values=" + shell_quoted(values) + "\n            ;;\n";
    }
    script += "        *) return 1 ;;\n    esac\n}\n";
    script += bash_walk;
    script += "complete -F _sluice";
    for (const Command& program : programs) script += " " + program.path;
    return script + "\n";
}

}  // namespace sluice::cli
