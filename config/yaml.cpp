#include "config/yaml.hpp"

#include <map>
#include <optional>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace sluice::config {

namespace {

// Builds the tree from yaml-cpp's events. Throws YAML::ParserException at the first fault, as yaml-cpp itself does.
class TreeBuilder final : public YAML::EventHandler {
public:
    YamlNode take() { return std::move(root_); }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (++documents_ > 1) fail(mark, "only one document is expected");
    }
    void OnDocumentEnd() override {}
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { fail(mark, "aliases are not supported"); }
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        leaf(make(YamlNode::Kind::null, mark, "", anchor), mark);
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        YamlNode node = make(YamlNode::Kind::scalar, mark, tag, anchor);
        node.text = value;
        node.quoted = tag == "!";
        leaf(std::move(node), mark);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(make(YamlNode::Kind::sequence, mark, tag, anchor), mark);
    }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(make(YamlNode::Kind::map, mark, tag, anchor), mark);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapEnd() override { close(); }

private:
    // A collection being read; in a map, `key` waits for its value.
    struct Open {
        YamlNode node;
        YamlNode key;
        bool has_key = false;
        std::map<std::string, std::size_t> lines{};  // of the map's keys
    };

    [[noreturn]] static void fail(const YAML::Mark& mark, const std::string& message) {
        throw YAML::ParserException(mark, message);
    }

    static YamlNode make(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
        if (anchor != 0) fail(mark, "anchors are not supported");
        if (!tag.empty() && tag != "?" && tag != "!") fail(mark, "tags are not supported");
        YamlNode node;
        node.kind = kind;
        node.line = static_cast<std::size_t>(mark.line) + 1;
        node.column = static_cast<std::size_t>(mark.column) + 1;
        return node;
    }

    void open(YamlNode node, const YAML::Mark& mark) {
        if (wants_key()) fail(mark, "a key must be a plain name");
        if (stack_.size() == yaml_depth_max) {
            fail(mark, "nested deeper than " + std::to_string(yaml_depth_max) + " levels");
        }
        stack_.push_back({std::move(node), {}, false});
    }

    void close() {
        YamlNode node = std::move(stack_.back().node);
        stack_.pop_back();
        put(std::move(node));
    }

    void leaf(YamlNode node, const YAML::Mark& mark) {
        if (!wants_key()) return put(std::move(node));
        if (node.kind != YamlNode::Kind::scalar) fail(mark, "a key must be a plain name");
        const auto [known, is_new] = stack_.back().lines.try_emplace(node.text, node.line);
        if (!is_new) fail(mark, "duplicate key \"" + node.text + "\", first on line " + std::to_string(known->second));
        stack_.back().key = std::move(node);
        stack_.back().has_key = true;
    }

    void put(YamlNode node) {
        if (stack_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = stack_.back();
        if (parent.node.kind == YamlNode::Kind::sequence) {
            parent.node.items.push_back(std::move(node));
        } else {
            if (node.kind == YamlNode::Kind::null) {  // an omitted value has no position, so it gets its key's
                node.line = parent.key.line;
                node.column = parent.key.column;
            }
            parent.node.members.push_back({std::move(parent.key), std::move(node)});
            parent.has_key = false;
        }
    }

    bool wants_key() const {
        return !stack_.empty() && stack_.back().node.kind == YamlNode::Kind::map && !stack_.back().has_key;
    }

    YamlNode root_;
    std::vector<Open> stack_;
    int documents_ = 0;
};

ConfigError error_at(const std::string& source, const YAML::Mark& mark, std::string message) {
    return {source, static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1,
            std::move(message)};
}

// The first tab before the text of the line where yaml-cpp gave up. What a tab brings about is "illegal" to it, most
// often the next map value: it names the tab itself only where the line before is indented.
std::optional<YAML::Mark> find_tab_in_indentation(std::string_view text, const YAML::Exception& error) {
    if (!std::string_view(error.msg).starts_with("illegal ")) return std::nullopt;
    for (int line = 0; line < error.mark.line; ++line) text.remove_prefix(text.find('\n') + 1);
    const std::string_view before = text.substr(0, text.find_first_not_of(" \t-"));
    const std::size_t tab = before.find('\t');
    if (tab == std::string_view::npos || tab > static_cast<std::size_t>(error.mark.column)) return std::nullopt;
    YAML::Mark mark = error.mark;
    mark.column = static_cast<int>(tab);
    return mark;
}

}  // namespace

std::variant<YamlNode, ConfigError> parse_yaml(const std::string& source, std::string_view text,
                                               std::size_t bytes_max) {
    if (text.size() > bytes_max) {
        return ConfigError{source, 0, 0, "larger than " + std::to_string(bytes_max) + " bytes"};
    }
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        TreeBuilder builder;
        while (parser.HandleNextDocument(builder)) {
        }
        return builder.take();
    } catch (const YAML::Exception& error) {
        if (error.mark.is_null()) return ConfigError{source, 0, 0, error.msg};
        if (const auto tab = find_tab_in_indentation(text, error))
            return error_at(source, *tab, "a tab; YAML is indented by spaces");
        return error_at(source, error.mark, error.msg);
    }
}

}  // namespace sluice::config
