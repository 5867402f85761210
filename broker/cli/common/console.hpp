// Where a command writes: results to `out`, messages to `err`. Keeps text from outside from commanding a terminal.
// Belongs to one thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace sluice::cli {

enum class ColourChoice : std::uint8_t { automatic, always, never };

// Of ECMA-48's, those that are readable on dark and on light.
enum class Colour : std::uint8_t { bold, red, yellow, magenta };

struct Console {
    std::ostream& out;
    std::ostream& err;
    bool json = false;  // messages are JSON objects, one a line
    bool out_is_terminal = false;
    std::size_t out_columns = 80;      // the width of `out`, if it is a terminal
    std::size_t progress_columns = 0;  // where `err` is a terminal for people: its width; progress is shown there
    bool out_colours = false, err_colours = false;

    // "sluice: TEXT" on `err`. As JSON {"level":"error","detail":TEXT}, after which come the members of `more`, such as
    // those of the broker's problem details, which may replace the detail.
    void error(std::string_view text, const boost::json::object& more = {}) const;
    void warning(std::string_view text, const boost::json::object& more = {}) const;
    void note(std::string_view text, const boost::json::object& more = {}) const;

    // A line of results as it came (XML, JSON), unless `out` is a terminal: then nothing is left in it to obey.
    void print_raw(std::string_view line) const;
    void print_json(std::string_view line) const;

    std::string coloured(std::string_view text, Colour colour) const;  // as `out` wants it
};

// Whether to colour what goes to a stream. `no_colour` and `term` are the environment's NO_COLOR and TERM, or null.
bool wants_colours(ColourChoice choice, bool is_terminal, const char* no_colour, const char* term);

// That of the process: standard output and standard error.
Console process_console(ColourChoice choice, bool json);

}  // namespace sluice::cli
