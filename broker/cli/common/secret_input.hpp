// Reads passwords from the process's terminal. One thread at a time.
#pragma once

#include <optional>
#include <string>

namespace sluice::cli {

// Writes the prompt on the terminal and reads a line from it that it does not show. None: there is no terminal, or its
// user ends the input. Ctrl-C ends the process as usual, once the terminal shows again what is typed.
std::optional<std::string> ask_secret(const std::string& prompt);

}  // namespace sluice::cli
