// Makes text from outside safe to show on a terminal, which obeys control characters and reorders what follows a
// bidirectional override. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::text {

// The text as one line: a space for tabs and line ends, U+FFFD for every other control character (C0, C1, DEL), line or
// paragraph separator and bidirectional embedding, override or isolate, and for every byte that is not UTF-8. Direction
// marks stay.
std::string terminal_line(std::string_view text);

// The same, except that line feeds and tabs stay.
std::string terminal_lines(std::string_view text);

// JSON with these characters, and direction marks (U+200E, U+200F, U+061C), written as \uXXXX, which means the same:
// they occur only in its strings. White
// space between its values stays, but a carriage return becomes a space.
std::string terminal_json(std::string_view json);

}  // namespace sluice::text
