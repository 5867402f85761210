// Parses YAML text into a small tree that records the position of every node. Stricter than YAML: duplicate keys,
// anchors, aliases, tags, non-scalar keys and multiple documents are refused. Size and nesting are bounded before
// yaml-cpp could overflow its stack. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/config_error.hpp"

namespace sluice::config {

struct YamlMember;

struct YamlNode {
    enum class Kind : std::uint8_t { null, scalar, sequence, map };

    Kind kind = Kind::null;
    std::string text;     // of a scalar
    bool quoted = false;  // "12" is text, 12 is a number
    std::size_t line = 0;
    std::size_t column = 0;
    std::vector<YamlNode> items;      // of a sequence
    std::vector<YamlMember> members;  // of a map, in the order of the file
};

struct YamlMember {
    YamlNode key, value;
};

constexpr std::size_t yaml_bytes_max = 1u << 20;
constexpr std::size_t yaml_depth_max = 16;

std::variant<YamlNode, ConfigError> parse_yaml(const std::string& source, std::string_view text,
                                               std::size_t bytes_max = yaml_bytes_max);

}  // namespace sluice::config
