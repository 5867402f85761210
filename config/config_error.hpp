// An error in a configuration, with its position; and the type of checks that the caller supplies.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace sluice::config {

struct ConfigError {
    std::string source;      // the file's name, or the --set argument
    std::size_t line = 0;    // 1-based; 0: the error has no position in a text
    std::size_t column = 0;  // 1-based
    std::string message;
};

// Returns what is wrong with a text, or "" if it is valid.
using TextCheck = std::function<std::string(const std::string&)>;

// "file:line:column: message".
inline std::string to_string(const ConfigError& error) {
    const std::string place =
        error.line == 0 ? "" : ":" + std::to_string(error.line) + ":" + std::to_string(error.column);
    return error.source + place + ": " + error.message;
}

}  // namespace sluice::config
