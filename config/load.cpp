#include "config/load.hpp"

#include <algorithm>
#include <utility>

#include "config/config_file.hpp"
#include "config/schema.hpp"
#include "config/yaml.hpp"

namespace sluice::config {

namespace {

using Completeness = Section::Completeness;

// "http.port" for "port"; "": no section has the option, or several have.
std::string full_name_of(const std::string& name) {
    static const auto defaults = std::get<YamlNode>(parse_yaml("", default_yaml()));
    std::vector<std::string> found;
    for (const auto& [section, options] : defaults.members)
        for (const auto& [option, value] : options.members)
            if (option.text == name) found.push_back(section.text + '.' + name);
    return found.size() == 1 ? found.front() : "";
}

void apply(const std::string& source, const YamlNode& root, Completeness completeness,
           const TextCheck& check_event_path, LoadedConfig& config) {
    if (root.kind == YamlNode::Kind::null) return;
    if (root.kind != YamlNode::Kind::map) {
        config.errors.push_back({source, root.line, root.column, "expected a map of options"});
        return;
    }
    Section section(source, "", root, config.errors, completeness);
    read_options(section, config.options, check_event_path);
    section.finish(full_name_of);
}

void apply_text(const std::string& source, std::string_view text, Completeness completeness,
                const TextCheck& check_event_path, LoadedConfig& config) {
    const auto parsed = parse_yaml(source, text);
    if (const auto* error = std::get_if<ConfigError>(&parsed)) {
        config.errors.push_back(*error);
    } else {
        apply(source, std::get<YamlNode>(parsed), completeness, check_event_path, config);
    }
}

// Positions within an override would only confuse, so line and column stay 0.
YamlNode without_place(YamlNode node) {
    node.line = node.column = 0;
    for (YamlNode& item : node.items) item = without_place(std::move(item));
    for (auto& [key, value] : node.members) {
        key = without_place(std::move(key));
        value = without_place(std::move(value));
    }
    return node;
}

// YAML reads "::" and "fe80::" as maps. Without a separator between key and value, the user cannot mean a map.
bool is_plain(std::string_view text, const std::variant<YamlNode, ConfigError>& parsed) {
    if (text.find_first_of(" \t\r\n[]{}\"'") != std::string_view::npos) return false;
    const auto* node = std::get_if<YamlNode>(&parsed);
    return node == nullptr || node->kind == YamlNode::Kind::map;
}

void apply_override(const std::string& text, const TextCheck& check_event_path, LoadedConfig& config) {
    const std::string source = "--set " + text;
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
        config.errors.push_back({source, 0, 0, "expected NAME=VALUE, such as http.port=8080"});
        return;
    }
    const std::string_view value = std::string_view(text).substr(equals + 1);
    auto parsed = parse_yaml(source, value);
    if (is_plain(value, parsed)) {
        YamlNode plain;
        plain.kind = YamlNode::Kind::scalar;
        plain.text = value;
        parsed = std::move(plain);
    }
    if (auto* error = std::get_if<ConfigError>(&parsed)) {
        config.errors.push_back({source, 0, 0, error->message});
        return;
    }
    // "a.b=v" becomes {a: {b: v}}, built from the inside out.
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
    apply(source, node, Completeness::partial, check_event_path, config);
}

}  // namespace

LoadedConfig parse_config(const std::string& name, std::string_view text, std::span<const std::string> overrides,
                          const TextCheck& check_event_path) {
    LoadedConfig config;
    apply_text("sluice.yaml (built in)", default_yaml(), Completeness::complete, check_event_path, config);
    if (!config.errors.empty()) return config;
    apply_text(name, text, Completeness::partial, check_event_path, config);
    for (const std::string& override_text : overrides) apply_override(override_text, check_event_path, config);
    if (!config.errors.empty()) return config;
    for (std::string& conflict : conflicts(config.options))
        config.errors.push_back({name.empty() ? "configuration" : name, 0, 0, std::move(conflict)});
    return config;
}

LoadedConfig load_config(const std::optional<std::filesystem::path>& file, std::span<const std::string> overrides,
                         const TextCheck& check_event_path) {
    if (!file) return parse_config("", "", overrides, check_event_path);
    const FileText read = read_config_file(*file);
    if (!read.error.empty()) {
        LoadedConfig config;
        config.errors.push_back({file->string(), 0, 0, read.error});
        return config;
    }
    return parse_config(file->string(), read.text, overrides, check_event_path);
}

namespace {

template <typename TakeDefault>
void take_defaults(YamlNode& map, const TakeDefault& take_default) {
    const auto is_null = [](const YamlMember& member) { return member.value.kind == YamlNode::Kind::null; };
    std::erase_if(map.members,
                  [&](const YamlMember& member) { return is_null(member) && take_default(member.key.text); });
}

// Sets the options in the map whose value is null to their defaults, and removes these members.
void take_defaults(YamlNode& map, StreamOptions& options) {
    const StreamOptions defaults;
    auto& retention = options.retention;
    const auto take_retention = [&](const std::string& name) {
        if (name == "age") return retention.age.reset(), true;
        if (name == "events") return retention.events.reset(), true;
        if (name == "bytes") return retention.bytes.reset(), true;
        return false;
    };
    for (auto& [key, value] : map.members)
        if (key.text == "retention") take_defaults(value, take_retention);
    const auto take_default = [&](const std::string& name) {
        if (name == "event_path") return options.event_path = defaults.event_path, true;
        if (name == "id_path") return options.id_path = defaults.id_path, true;
        if (name == "deduplicate") return options.deduplicate = defaults.deduplicate, true;
        if (name == "deduplication_window") return options.deduplication_window = defaults.deduplication_window, true;
        if (name == "deduplication_ignore") return options.deduplication_ignore = defaults.deduplication_ignore, true;
        if (name == "repair") return options.repair = defaults.repair, true;
        if (name == "retention") return retention = defaults.retention, true;
        if (name == "context") return options.context = defaults.context, true;
        return false;
    };
    take_defaults(map, take_default);
}

void take_defaults(YamlNode& map, SubscriptionOptions& options) {
    const SubscriptionOptions defaults;
    const auto take_default = [&](const std::string& name) {
        if (name == "streams") return options.streams = defaults.streams, true;
        if (name == "filters") return options.filters = defaults.filters, true;
        if (name == "start") return options.start = defaults.start, true;
        if (name == "ack") return options.ack = defaults.ack, true;
        if (name == "ack_wait") return options.ack_wait = defaults.ack_wait, true;
        if (name == "max_deliver") return options.max_deliver = defaults.max_deliver, true;
        if (name == "dead_letter") return options.dead_letter = defaults.dead_letter, true;
        if (name == "prefetch") return options.prefetch = defaults.prefetch, true;
        if (name == "share") return options.share = defaults.share, true;
        if (name == "hold_bytes") return options.hold_bytes = defaults.hold_bytes, true;
        return false;
    };
    take_defaults(map, take_default);
}

// Sets the options that the text has; `read` gets the section that has them.
template <typename Options, typename Read>
std::vector<ConfigError> parse_options(const std::string& name, std::string_view text, Options& options,
                                       const Read& read) {
    std::vector<ConfigError> errors;
    auto parsed = parse_yaml(name, text);
    if (const auto* error = std::get_if<ConfigError>(&parsed)) return {*error};
    YamlNode& root = std::get<YamlNode>(parsed);
    if (root.kind == YamlNode::Kind::null) return errors;
    if (root.kind != YamlNode::Kind::map) return {{name, root.line, root.column, "expected an object of options"}};
    take_defaults(root, options);
    Section section(name, "", root, errors);
    read(section);
    section.finish();
    return errors;
}

}  // namespace

std::vector<ConfigError> parse_stream_options(const std::string& name, std::string_view text, StreamOptions& options,
                                              const TextCheck& check_event_path) {
    return parse_options(name, text, options,
                         [&](Section& section) { read_stream_options(section, check_event_path, options); });
}

std::vector<ConfigError> parse_subscription_options(const std::string& name, std::string_view text,
                                                    SubscriptionOptions& options) {
    return parse_options(name, text, options, [&](Section& section) { read_subscription_options(section, options); });
}

}  // namespace sluice::config
