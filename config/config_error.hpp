// One fault of a configuration, and where it is.
#pragma once

#include <cstddef>
#include <string>

namespace sluice {

struct ConfigError {
    std::string source;      // the file's name, or the --set argument
    std::size_t line = 0;    // 1-based; 0: the fault has no place in a text
    std::size_t column = 0;  // 1-based
    std::string message;
};

// "file:line:column: message".
inline std::string to_string(const ConfigError& error) {
    const std::string place =
        error.line == 0 ? "" : ":" + std::to_string(error.line) + ":" + std::to_string(error.column);
    return error.source + place + ": " + error.message;
}

}  // namespace sluice
