#include "broker/cli/common/console.hpp"

#include <boost/json/serialize.hpp>
#include <cstdlib>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

#include "broker/cli/common/plain_json.hpp"
#include "protocol/text/terminal.hpp"

namespace sluice::cli {

namespace {

std::string painted(std::string_view text, Colour colour, bool wanted) {
    constexpr const char* codes[] = {"1", "1;31", "1;33", "35"};
    if (!wanted) return std::string(text);
    return "\x1B[" + std::string(codes[static_cast<std::size_t>(colour)]) + "m" + std::string(text) + "\x1B[0m";
}

bool is_dumb(const char* term) { return term == nullptr || *term == '\0' || std::string_view(term) == "dumb"; }

std::size_t columns_of(int terminal) {
    constexpr std::size_t customary = 80;
    winsize size{};
    return ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col : customary;
}

void tell(const Console& console, const char* level, Colour colour, std::string_view text,
          const boost::json::object& more) {
    if (console.json) {
        boost::json::object line{{"level", level}, {"detail", text}};
        for (const auto& [name, value] : more) line[name] = value;
        console.err << text::terminal_json(plain_json(line)) << std::endl;
        return;
    }
    console.err << painted("sluice:", colour, console.err_colours) << ' ' << text::terminal_lines(text) << std::endl;
}

}  // namespace

void Console::error(std::string_view text, const boost::json::object& more) const {
    tell(*this, "error", Colour::red, text, more);
}

void Console::warning(std::string_view text, const boost::json::object& more) const {
    tell(*this, "warning", Colour::yellow, text, more);
}

void Console::note(std::string_view text, const boost::json::object& more) const {
    tell(*this, "note", Colour::bold, text, more);
}

void Console::print_raw(std::string_view line) const {
    if (out_is_terminal)
        out << text::terminal_lines(line) << '\n';
    else
        out << line << '\n';
}

void Console::print_json(std::string_view line) const {
    if (out_is_terminal)
        out << text::terminal_json(line) << '\n';
    else
        out << line << '\n';
}

std::string Console::coloured(std::string_view text, Colour colour) const { return painted(text, colour, out_colours); }

bool wants_colours(ColourChoice choice, bool is_terminal, const char* no_colour, const char* term) {
    if (choice != ColourChoice::automatic) return choice == ColourChoice::always;
    const bool is_refused = no_colour != nullptr && *no_colour != '\0';
    return is_terminal && !is_refused && !is_dumb(term);
}

Console process_console(ColourChoice choice, bool json) {
    Console console{std::cout, std::cerr};
    console.json = json;
    console.out_is_terminal = isatty(STDOUT_FILENO) != 0;
    if (console.out_is_terminal) console.out_columns = columns_of(STDOUT_FILENO);
    const bool err_is_terminal = isatty(STDERR_FILENO) != 0;
    const char* no_colour = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    console.out_colours = wants_colours(choice, console.out_is_terminal, no_colour, term);
    console.err_colours = wants_colours(choice, err_is_terminal, no_colour, term);
    if (err_is_terminal && !json && !is_dumb(term)) console.progress_columns = columns_of(STDERR_FILENO);
    return console;
}

}  // namespace sluice::cli
