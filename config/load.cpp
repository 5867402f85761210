#include "config/load.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "config/schema.hpp"
#include "config/yaml.hpp"

namespace sluice {

namespace {

using Completeness = Section::Completeness;

void apply(const std::string& source, const YamlNode& root, Completeness completeness, LoadedConfig& config) {
    if (root.kind == YamlNode::Kind::null) return;
    if (root.kind != YamlNode::Kind::map) {
        config.errors.push_back({source, root.line, root.column, "expected a map of options"});
        return;
    }
    Section section(source, "", root, config.errors, completeness);
    read_options(section, config.options);
    section.finish();
}

void apply_text(const std::string& source, std::string_view text, Completeness completeness, LoadedConfig& config) {
    const auto parsed = parse_yaml(source, text);
    if (const auto* error = std::get_if<ConfigError>(&parsed)) {
        config.errors.push_back(*error);
    } else {
        apply(source, std::get<YamlNode>(parsed), completeness, config);
    }
}

// Places in an override would only confuse: line and column stay 0.
YamlNode without_place(YamlNode node) {
    node.line = node.column = 0;
    for (YamlNode& item : node.items) item = without_place(std::move(item));
    for (auto& [key, value] : node.members) {
        key = without_place(std::move(key));
        value = without_place(std::move(value));
    }
    return node;
}

void apply_override(const std::string& text, LoadedConfig& config) {
    const std::string source = "--set " + text;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        config.errors.push_back({source, 0, 0, "expected NAME=VALUE, such as http.port=8080"});
        return;
    }
    auto parsed = parse_yaml(source, std::string_view(text).substr(equals + 1));
    if (auto* error = std::get_if<ConfigError>(&parsed)) {
        config.errors.push_back({source, 0, 0, error->message});
        return;
    }
    // "a.b=v" becomes {a: {b: v}}, from the inside out.
    YamlNode node = without_place(std::get<YamlNode>(std::move(parsed)));
    std::string_view path = std::string_view(text).substr(0, equals);
    while (!path.empty()) {
        const std::size_t dot = path.rfind('.');
        YamlNode key;
        key.kind = YamlNode::Kind::scalar;
        key.text = path.substr(dot == std::string_view::npos ? 0 : dot + 1);
        YamlNode map;
        map.kind = YamlNode::Kind::map;
        map.members.push_back({std::move(key), std::move(node)});
        node = std::move(map);
        path = path.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    apply(source, node, Completeness::partial, config);
}

}  // namespace

LoadedConfig parse_config(const std::string& name, std::string_view text, std::span<const std::string> overrides) {
    LoadedConfig config;
    apply_text("sluice.yaml (built in)", default_yaml(), Completeness::complete, config);
    if (!config.errors.empty()) return config;
    apply_text(name, text, Completeness::partial, config);
    for (const std::string& override_text : overrides) apply_override(override_text, config);
    return config;
}

LoadedConfig load_config(const std::optional<std::filesystem::path>& file, std::span<const std::string> overrides) {
    if (!file) return parse_config("", "", overrides);
    const auto refuse = [&](const std::string& message) {
        LoadedConfig config;
        config.errors.push_back({file->string(), 0, 0, message});
        return config;
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(*file, ignored)) return refuse("is a directory");
    errno = 0;
    std::ifstream stream(*file, std::ios::binary);
    if (!stream) return refuse(std::string("cannot be read: ") + std::strerror(errno));
    // One byte more than allowed is enough for parse_yaml to refuse the file, whatever its size (or a device's).
    std::string text(yaml_bytes_max + 1, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (stream.bad()) return refuse(std::string("cannot be read: ") + std::strerror(errno));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    return parse_config(file->string(), text, overrides);
}

bool is_stream_name(std::string_view name) {
    constexpr std::size_t stream_name_bytes_max = 128;
    return !name.empty() && name.size() <= stream_name_bytes_max && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    });
}

}  // namespace sluice
