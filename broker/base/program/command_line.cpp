#include "broker/base/program/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <poll.h>
#include <unistd.h>

#include "protocol/text/nearest.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::base {

namespace {

constexpr const char* choices_check = "choices";

// "; did you mean 'status'?", or "".
std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    const std::string_view best = text::nearest(wrong, names);
    return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

// "title, json or xml"
std::string list(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    return text;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

// The subcommand to which the rest of the command line belongs, or the program itself.
const CLI::App& innermost(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return commands.empty() ? app : innermost(*commands.back());
}

// "sluice status", as it is typed.
std::string innermost_name(const CLI::App& app) {
    const auto commands = app.get_subcommands();
    return app.get_name() + (commands.empty() ? "" : " " + innermost_name(*commands.back()));
}

// "; write -- before …" if `written` may be a filter, or "".
std::string filter_after_dashes(const CLI::App& app, const std::string& written) {
    if (innermost(app).get_option_no_throw("FILTER") == nullptr) return "";
    if (written.starts_with("--") && written.find(' ') == std::string::npos) return "";
    return "; write -- before a filter that begins with '-': " + innermost_name(app) + " -- '-price < 0'";
}

std::string no_option(const CLI::App& app, const std::string& written) {
    const std::string name = written.substr(0, written.find_first_of("= "));
    std::vector<std::string> known;
    for (const CLI::Option* option : innermost(app).get_options()) {
        for (const std::string& each : option->get_lnames()) known.push_back("--" + each);
    }
    if (std::find(known.begin(), known.end(), name) != known.end())
        return name + " goes after the subcommand: " + innermost_name(app) + " " + name;
    const std::string meant = suggestion(name, known);
    return "there is no option " + name + (meant.empty() ? filter_after_dashes(app, written) : meant);
}

// Rewords CLI11's complaint about the number of an option's values.
std::string mismatch(const std::string& said) {
    const auto name = said.substr(0, said.find(':'));
    constexpr std::string_view missing = ": 1 required ";
    if (const auto at = said.find(missing); at != std::string::npos) {
        const auto value = said.substr(at + missing.size());
        return name + " needs a value: " + value.substr(0, value.rfind(" missing"));
    }
    return said.find("At Most 1 ") != std::string::npos ? name + " is given more than once" : said;
}

// "Could not convert: --json = x"
std::string bad_value(const std::string& said) {
    constexpr std::string_view start = "Could not convert: ";
    const auto equals = said.find(" = ");
    if (!said.starts_with(start) || equals == std::string::npos) return said;
    return said.substr(start.size(), equals - start.size()) + " can't be '" + said.substr(equals + 3) + "'";
}

std::string message_of(const CLI::App& app, const CLI::ParseError& error) {
    const bool about_a_value = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr;
    std::vector<std::string> left = about_a_value ? std::vector<std::string>{} : app.remaining(true);
    left.erase(std::remove(left.begin(), left.end(), "--"), left.end());
    const auto is_option = [](const std::string& text) { return text.size() > 1 && text.front() == '-'; };
    const auto option = std::find_if(left.begin(), left.end(), is_option);
    const CLI::App& command = innermost(app);
    const auto names = subcommand_names(command);
    const bool needs_subcommand = !names.empty() && command.get_require_subcommand_min() != 0;
    // Options behind an unknown subcommand would be its own.
    if (needs_subcommand && !left.empty() && option != left.begin())
        return "there is no subcommand '" + left.front() + "'" + suggestion(left.front(), names);
    // Report an unknown option first: CLI11 would report missing arguments instead.
    if (option != left.end()) return no_option(app, *option);
    if (needs_subcommand) return "expected a subcommand: " + list(names);
    if (!left.empty()) return "unexpected argument '" + left.front() + "'";
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return mismatch(error.what());
    if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return bad_value(error.what());
    return error.what();
}

std::uint64_t read_number(const std::string& option, const std::string& text, std::uint64_t min, std::uint64_t max,
                          const char* what) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= min && number <= max) return number;
    const std::string range = max == std::numeric_limits<std::uint64_t>::max()
                                  ? " of at least " + std::to_string(min)
                                  : " from " + std::to_string(min) + " to " + std::to_string(max);
    throw CLI::ValidationError(option + " must be " + what + range + ", not " + text);
}

// CLI11's help, but without the value of a negative flag: "--no-prune" instead of "--no-prune{false}".
struct HelpFormatter : CLI::Formatter {
    std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
        constexpr std::string_view value = "{false}";
        std::string name = CLI::Formatter::make_option_name(option, is_positional);
        for (auto at = name.find(value); at != std::string::npos; at = name.find(value)) name.erase(at, value.size());
        return name;
    }
};

// Whether standard output is a pipe or socket that nobody reads any more.
bool reader_has_left() {
    pollfd out{STDOUT_FILENO, 0, 0};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

void format_help(CLI::App& app) { app.formatter(std::make_shared<HelpFormatter>()); }

std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv, int status_if_wrong) {
    try {
        app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::Success& wanted) {
        app.exit(wanted);
        return 0;
    } catch (const CLI::ParseError& error) {
        const std::string command = innermost_name(app);
        const char* const help = command.ends_with(" help") ? "" : " --help";
        std::cerr << app.get_name() << ": " << text::terminal_lines(message_of(app, error)) << "\nRun " << command
                  << help << " for more information.\n";
        return status_if_wrong;
    }
}

void add_choice(CLI::App& app, const std::string& option, const std::string& what, const std::string& value_name,
                const std::vector<std::string>& names, std::function<void(std::size_t)> set) {
    const auto take = [option, names, set = std::move(set)](const std::string& given) {
        const auto found = std::find(names.begin(), names.end(), given);
        if (found == names.end()) throw CLI::ValidationError(option + " must be " + list(names) + ", not " + given);
        set(static_cast<std::size_t>(found - names.begin()));
    };
    set_choices(*app.add_option_function<std::string>(option, take, what)->type_name(value_name), names);
}

void set_choices(CLI::Option& option, const std::vector<std::string>& names) {
    // Kept as a check that is never made: --help would describe one that is.
    option.check(CLI::Validator(CLI::detail::join(names, "\n")).active(false), choices_check);
}

std::vector<std::string> choices_of(CLI::Option& option) {
    try {
        return CLI::detail::split(CLI::Validator(*option.get_validator(choices_check)).active().get_description(),
                                  '\n');
    } catch (const CLI::OptionNotFound&) {
        return {};
    }
}

void add_number(CLI::App& app, const std::string& option, const std::string& what, std::uint64_t max,
                std::function<void(std::uint64_t)> set) {
    add_number_from(app, option, what, 0, max, std::move(set));
}

void add_number_from(CLI::App& app, const std::string& option, const std::string& what, std::uint64_t min,
                     std::uint64_t max, std::function<void(std::uint64_t)> set) {
    const auto take = [option, min, max, set = std::move(set)](const std::string& given) {
        set(read_number(option, given, min, max, "a whole number"));
    };
    app.add_option_function<std::string>(option, take, what)->type_name("NUMBER");
}

void add_numbers(CLI::App& app, const std::string& option, const std::string& what, std::uint64_t max,
                 std::function<void(std::vector<std::uint64_t>)> set) {
    const auto take = [option, max, set = std::move(set)](const std::vector<std::string>& given) {
        std::vector<std::uint64_t> numbers;
        for (const std::string& each : given) numbers.push_back(read_number(option, each, 0, max, "whole numbers"));
        set(std::move(numbers));
    };
    app.add_option_function<std::vector<std::string>>(option, take, what)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("NUMBERS");
}

bool finish_output(std::string_view program) {
    const bool failed_before = !std::cout;
    errno = 0;
    std::cout.flush();
    if (std::cout) return true;
    if (reader_has_left()) return false;
    std::cerr << program << ": can't write to standard output";
    if (!failed_before && errno != 0) std::cerr << ": " << std::strerror(errno);
    std::cerr << '\n';
    return false;
}

}  // namespace sluice::base
