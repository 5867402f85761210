// Loads the options from their sources. The user's file overrides the defaults compiled in from sluice.yaml, and the
// command line's NAME=VALUE overrides take precedence over both. Nothing is ignored: whatever is not understood is an
// error with its position. Called at start-up; pure except for reading the file.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/config_error.hpp"
#include "config/options.hpp"
#include "config/subscription_options.hpp"

namespace sluice::config {

struct LoadedConfig {
    Options options;                  // complete only if there are no errors
    std::vector<ConfigError> errors;  // all errors found, in the order of the sources
};

// The text of config/sluice.yaml at build time. It sets every option; loading checks that.
std::string_view default_yaml();

// Applies `text`, which error messages call `name`, over the defaults. An override is "http.port=0"; its value is YAML.
// Event paths are XPath, which this folder cannot parse: the caller's check validates them.
LoadedConfig parse_config(const std::string& name, std::string_view text, std::span<const std::string> overrides = {},
                          const TextCheck& check_event_path = {});

// Like parse_config, with the text of a file. Without a file: the defaults and overrides alone.
LoadedConfig load_config(const std::optional<std::filesystem::path>& file, std::span<const std::string> overrides = {},
                         const TextCheck& check_event_path = {});

// Applies the options of one stream, in YAML (and therefore also JSON), over its present ones. Options with errors keep
// their former values; null stands for an option's default (RFC 7396).
std::vector<ConfigError> parse_stream_options(const std::string& name, std::string_view text, StreamOptions& options,
                                              const TextCheck& check_event_path = {});

// Likewise those of a durable subscription. Its filters are checked by whoever compiles them.
std::vector<ConfigError> parse_subscription_options(const std::string& name, std::string_view text,
                                                    SubscriptionOptions& options);

}  // namespace sluice::config
