#include "broker/cli/common/console.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace sluice::cli;

namespace {

struct Streams {
    std::ostringstream out, err;
    Console console{out, err};
};

}  // namespace

TEST_CASE("colours need a terminal that has them and a user who wants them") {
    CHECK(wants_colours(ColourChoice::automatic, true, nullptr, "xterm"));
    CHECK(wants_colours(ColourChoice::automatic, true, "", "xterm"));
    CHECK(!wants_colours(ColourChoice::automatic, false, nullptr, "xterm"));
    CHECK(!wants_colours(ColourChoice::automatic, true, "1", "xterm"));
    CHECK(!wants_colours(ColourChoice::automatic, true, nullptr, "dumb"));
    CHECK(!wants_colours(ColourChoice::automatic, true, nullptr, nullptr));
    CHECK(wants_colours(ColourChoice::always, false, "1", nullptr));
    CHECK(!wants_colours(ColourChoice::never, true, nullptr, "xterm"));
}

TEST_CASE("messages are coloured only where colours are wanted") {
    Streams plain;
    plain.console.error("no");
    CHECK(plain.err.str() == "sluice: no\n");
    CHECK(plain.console.coloured("x", Colour::bold) == "x");
    Streams colourful;
    colourful.console.err_colours = colourful.console.out_colours = true;
    colourful.console.error("no");
    CHECK(colourful.err.str() == "\x1B[1;31msluice:\x1B[0m no\n");
    CHECK(colourful.console.coloured("x", Colour::bold) == "\x1B[1mx\x1B[0m");
}

TEST_CASE("messages contain no commands to a terminal, but lines") {
    Streams streams;
    streams.console.warning("a\x1B[2J\n  ^");
    CHECK(streams.err.str() == "sluice: a�[2J\n  ^\n");
}

TEST_CASE("messages can be JSON, with the members of a problem") {
    Streams streams;
    streams.console.json = true;
    streams.console.note("later\x1B\xC2\x9B");
    streams.console.error("a.xml:3: no root", {{"detail", "no root"}, {"line", 3}});
    CHECK(streams.err.str() ==
          "{\"level\":\"note\",\"detail\":\"later\\u001b\\u009b\"}\n"
          "{\"level\":\"error\",\"detail\":\"no root\",\"line\":3}\n");
}

TEST_CASE("raw results stay raw unless a terminal shows them") {
    const std::string xml =
                          "<a>\xC2\x9B"
                          "2J\u202E</a>",
                      json = "\"\xC2\x9B\"";
    Streams file;
    file.console.print_raw(xml);
    file.console.print_json(json);
    CHECK(file.out.str() == xml + "\n" + json + "\n");
    Streams terminal;
    terminal.console.out_is_terminal = true;
    terminal.console.print_raw(xml);
    terminal.console.print_json(json);
    CHECK(terminal.out.str() == "<a>�2J�</a>\n\"\\u009b\"\n");
}
