// Shared command-line code of the programs: options whose values need clearer error messages than CLI11's, the wording
// of errors, and a check that all output was written. Called from main, on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace sluice::base {

// How --help prints the options. Subcommands that are added afterwards print theirs in the same way.
void format_help(CLI::App& app);

// Returns the exit status if the process should end: 0 after printing help, `status_if_wrong` after reporting an error.
std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv, int status_if_wrong);

// Adds an option whose value is one of `names`; calls `set` with the index of the given name.
void add_choice(CLI::App& app, const std::string& option, const std::string& what, const std::string& value_name,
                const std::vector<std::string>& names, std::function<void(std::size_t)> set);

// For shell completion: the values that the option can have; {} if they are not known. add_choice() sets them.
void set_choices(CLI::Option& option, const std::vector<std::string>& names);
std::vector<std::string> choices_of(CLI::Option& option);

// Adds an option whose value is a whole number up to `max`.
void add_number(CLI::App& app, const std::string& option, const std::string& what, std::uint64_t max,
                std::function<void(std::uint64_t)> set);

// Likewise, a whole number from `min` to `max`.
void add_number_from(CLI::App& app, const std::string& option, const std::string& what, std::uint64_t min,
                     std::uint64_t max, std::function<void(std::uint64_t)> set);

// Adds an option whose value is a list of whole numbers up to `max`, separated by commas.
void add_numbers(CLI::App& app, const std::string& option, const std::string& what, std::uint64_t max,
                 std::function<void(std::vector<std::uint64_t>)> set);

// Flushes standard output. Returns false if not all of it could be written, and reports that on standard error, unless
// its reader has left, as in "sluice … | head".
bool finish_output(std::string_view program);

}  // namespace sluice::base
