// Options from their sources: the defaults compiled in from sluice.yaml, over them the user's file, over that the
// NAME=VALUE overrides of the command line. Nothing is ignored: what is not understood is an error with its place.
// Called at start-up; pure but for reading the file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_error.hpp"
#include "config/options.hpp"

namespace sluice {

struct LoadedConfig {
    Options options;                  // complete only without errors
    std::vector<ConfigError> errors;  // all that were found, in the order of the sources
};

// The text of config/sluice.yaml, as it was when this was built. It sets every option, which loading checks.
std::string_view default_yaml();

// `text` over the defaults; `name` is what error messages call it. An override is "http.port=0"; its value is YAML.
LoadedConfig parse_config(const std::string& name, std::string_view text, std::span<const std::string> overrides = {});

// The same with the text of a file; without a file, the defaults and overrides alone.
LoadedConfig load_config(const std::optional<std::filesystem::path>& file, std::span<const std::string> overrides = {});

// Stream names are [A-Za-z0-9._-]{1,128}.
bool is_stream_name(std::string_view name);

}  // namespace sluice
