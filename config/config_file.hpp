// Reads the file named by --config without ever waiting for good: a start must not hang. Called at start-up.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

#include "config/yaml.hpp"

namespace sluice::config {

struct FileText {
    std::string text;   // at most bytes_max + 1 bytes; one more than allowed makes parse_yaml refuse it
    std::string error;  // empty: none
};

constexpr std::chrono::milliseconds pipe_patience{10'000};

// Takes regular files, /dev/null (an empty configuration), and pipes that have something to read or a writer, such as
// bash's <(...) and a /dev/stdin that is a pipe. A pipe has to end within `patience`. Everything else (a directory, a
// FIFO to which no program writes, a device, a terminal, a socket) is an error.
FileText read_config_file(const std::filesystem::path& path, std::chrono::milliseconds patience = pipe_patience,
                          std::size_t bytes_max = yaml_bytes_max);

}  // namespace sluice::config
