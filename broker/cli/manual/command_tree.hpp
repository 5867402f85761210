// A program's command line as plain values: its commands, with the options that --help lists. Manual pages and shell
// completion are written from it. Called from main, on one thread.
#pragma once

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace sluice::cli {

enum class ValueKind {
    none,    // a flag
    word,    // any text
    file,    // the name of a file or folder
    choice,  // one of `choices`
};

// An option, or an argument that has no dashes.
struct CommandOption {
    std::vector<std::string> names;  // {"-c", "--config"}; of an argument, one without dashes
    std::string value_name;          // "FILE"; "" for flags
    ValueKind kind = ValueKind::none;
    std::vector<std::string> choices;
    std::string description;
    std::string default_value;                 // "" if the description says it, or there is none
    std::string environment;                   // the variable with the default, or ""
    std::vector<std::string> needs, excludes;  // names of other options, in order
    bool required = false;
    bool repeated = false;  // may have several values, or be given several times
};

struct Command {
    std::string path;  // "sluice user add"
    std::string description;
    std::string footer;
    std::vector<CommandOption> options, arguments;
    std::vector<Command> commands;
};

// `app` with all its subcommands. Nothing in it depends on the machine or the environment.
Command command_tree(CLI::App& app);

}  // namespace sluice::cli
