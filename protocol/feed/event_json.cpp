#include "protocol/feed/event_json.hpp"

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "protocol/feed/fields.hpp"
#include "protocol/feed/json_text.hpp"
#include "protocol/feed/node_text.hpp"
#include "protocol/feed/text_arena.hpp"
#include "protocol/text/date.hpp"

namespace sluice {

namespace {

bool is_text(pugi::xml_node node) { return node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata; }

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// The values of an item by path.
class PathValues {
public:
    struct Group {
        std::string path;
        std::vector<std::string_view> values;
    };

    explicit PathValues(pugi::xml_node item) { element(item, false); }
    const std::vector<Group>& groups() const { return groups_; }

private:
    void element(pugi::xml_node node, bool is_markup);
    bool attributes(pugi::xml_node node);
    void add(std::string_view value);

    TextArena arena_;
    std::string path_;
    std::vector<Group> groups_;
    std::unordered_map<std::string, std::size_t> index_;
};

// As deep as the document, which has a limit.
void PathValues::element(pugi::xml_node node, bool is_markup) {
    const bool has_attributes = attributes(node);
    bool has_elements = false, has_text = false;
    for (const pugi::xml_node child : node.children()) {
        if (child.type() == pugi::node_element) has_elements = true;
        if (is_text(child) && !is_blank(child.value())) has_text = true;
    }
    if (!is_markup && (has_text || (!has_elements && !has_attributes))) add(string_value(node, arena_));
    if (!has_elements) return;

    const std::size_t length = path_.size();
    for (const pugi::xml_node child : node.children()) {
        if (child.type() != pugi::node_element) continue;
        if (length > 0) path_ += '/';
        path_ += child.name();
        element(child, is_markup || has_text);
        path_.resize(length);
    }
}

bool PathValues::attributes(pugi::xml_node node) {
    const std::size_t length = path_.size();
    bool any = false;
    for (const pugi::xml_attribute attribute : node.attributes()) {
        if (!is_xpath_attribute(attribute.name())) continue;
        any = true;
        path_.append(length > 0 ? "/@" : "@").append(attribute.name());
        add(attribute.value());
        path_.resize(length);
    }
    return any;
}

void PathValues::add(std::string_view value) {
    if (path_.size() > path_bytes_max) return;
    const auto [found, is_new] = index_.try_emplace(path_.empty() ? "." : path_, groups_.size());
    if (is_new) groups_.push_back({found->first, {}});
    groups_[found->second].values.push_back(value);
}

void append_array(std::string& json, const auto& texts) {
    json += '[';
    for (const auto& text : texts) {
        if (json.back() != '[') json += ',';
        append_json_string(json, text);
    }
    json += ']';
}

// The members of an object that is open in `json`.
class Members {
public:
    explicit Members(std::string& json) : json_(json) { json_ += '{'; }
    ~Members() { json_ += '}'; }

    std::string& name(std::string_view name) {
        if (json_.back() != '{') json_ += ',';
        append_json_string(json_, name);
        return json_ += ':';
    }
    void text(std::string_view key, const std::optional<std::string>& value) {
        if (value) append_json_string(name(key), *value);
    }
    void time(std::string_view key, const std::optional<double>& value) {
        if (!value) return;
        const std::string text = format_rfc3339(*value);
        std::string& json = name(key);
        if (text.empty()) {
            json += "null";
        } else {
            append_json_string(json, text);
        }
    }

private:
    std::string& json_;
};

void append_fields(std::string& json, const Fields& fields) {
    Members members(json);
    members.text("title", fields.title);
    members.text("link", fields.link);
    members.text("id", fields.id);
    members.text("author", fields.author);
    members.time("published", fields.published);
    members.time("updated", fields.updated);
    members.text("summary", fields.summary);
    members.text("content", fields.content);
    if (!fields.category.empty()) append_array(members.name("category"), fields.category);
}

void append_values(std::string& json, const PathValues& values) {
    Members members(json);
    for (const PathValues::Group& group : values.groups()) append_array(members.name(group.path), group.values);
}

void append_event(std::string& json, const Event& event) {
    Members members(json);
    members.name("id") += std::to_string(event.id);
    members.text("stream", *event.stream);
    append_fields(members.name("item"), read_fields(*event.document, event.item()));
    append_values(members.name("values"), PathValues(event.item().element));
}

}  // namespace

std::string event_json(const Event& event) {
    std::string json;
    json.reserve(event.item().source.size() * 2 + 256);
    append_event(json, event);
    return json;
}

}  // namespace sluice
