#include "config/yaml.hpp"

#include <catch2/catch.hpp>

using sluice::config::ConfigError;
using sluice::config::parse_yaml;
using sluice::config::YamlNode;

namespace {

std::string error_of(std::string_view text) {
    const auto parsed = parse_yaml("f.yaml", text);
    const auto* error = std::get_if<ConfigError>(&parsed);
    return error == nullptr ? "" : sluice::config::to_string(*error);
}

}  // namespace

TEST_CASE("a tree knows kinds, texts and places") {
    const auto parsed = parse_yaml("f.yaml", "a: 1\nb:\n  c: '2'\n  d: [x, ~]\n");
    const auto& root = std::get<YamlNode>(parsed);
    REQUIRE(root.kind == YamlNode::Kind::map);
    REQUIRE(root.members.size() == 2);
    CHECK(root.members[0].value.text == "1");
    CHECK_FALSE(root.members[0].value.quoted);
    const YamlNode& b = root.members[1].value;
    CHECK(b.members[0].value.quoted);
    CHECK(b.members[0].key.line == 3);
    CHECK(b.members[0].key.column == 3);
    const YamlNode& d = b.members[1].value;
    REQUIRE(d.kind == YamlNode::Kind::sequence);
    CHECK(d.items[0].text == "x");
    CHECK(d.items[1].kind == YamlNode::Kind::null);
}

TEST_CASE("no text is no document") {
    CHECK(std::get<YamlNode>(parse_yaml("f", "")).kind == YamlNode::Kind::null);
    CHECK(std::get<YamlNode>(parse_yaml("f", "# nothing\n")).kind == YamlNode::Kind::null);
}

TEST_CASE("what could be misread is refused with its place") {
    CHECK(error_of("a: 1\nb: 2\na: 3\n") == "f.yaml:3:1: duplicate key \"a\", first on line 1");
    CHECK(error_of("a: {b: 1, b: 2}") == "f.yaml:1:11: duplicate key \"b\", first on line 1");
    CHECK(error_of("a: &x 1\n") == "f.yaml:1:4: anchors are not supported");
    CHECK(error_of("a: &x 1\nb: *x\n") == "f.yaml:1:4: anchors are not supported");
    CHECK(error_of("a: !!int 1\n") == "f.yaml:1:4: tags are not supported");
    CHECK(error_of("[a]: 1\n") == "f.yaml:1:1: a key must be a plain name");
    CHECK(error_of("a: 1\n---\nb: 2\n") == "f.yaml:2:1: only one document is expected");
    CHECK(error_of("a: [1\n").starts_with("f.yaml:2:1: "));
    CHECK(error_of("a: b: c\n").starts_with("f.yaml:1:"));
}

TEST_CASE("nesting and size are bounded") {
    const std::string deep = std::string(50'000, '[') + std::string(50'000, ']');
    CHECK(error_of(deep).find("nested deeper than 16 levels") != std::string::npos);
    CHECK(error_of(deep.substr(0, 50'000)).find(": ") != std::string::npos);
    CHECK(error_of(std::string(100'000, '{')).find(": ") != std::string::npos);
    std::string lists;
    for (int i = 0; i < 10'000; ++i) lists += "- ";
    CHECK(error_of(lists).find("nested deeper than 16 levels") != std::string::npos);
    CHECK(error_of(std::string(sluice::config::yaml_bytes_max + 1, '#')) == "f.yaml: larger than 1048576 bytes");
    CHECK(error_of("a: [[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]") == "");
}

TEST_CASE("Yaml: a tab in the indentation is named, others are not") {
    const std::string tab = "a tab; YAML is indented by spaces";
    CHECK(error_of("a:\n\tb: 1\n") == "f.yaml:2:1: " + tab);
    CHECK(error_of("a:\n  \tb: 1\n") == "f.yaml:2:3: " + tab);
    CHECK(error_of("a:\n  b: 1\n\tc: 2\n") == "f.yaml:3:1: " + tab);
    CHECK(error_of("a:\n  b: 1\n \tc: 2\n") == "f.yaml:3:2: " + tab);
    CHECK(error_of("a:\n\t- b\n") == "f.yaml:2:1: " + tab);
    CHECK(error_of("-\ta: 1\n") == "f.yaml:1:2: " + tab);
    CHECK(error_of("a: |\n\tb\n") == "f.yaml:2:1: " + tab);
    CHECK(error_of("a: \"b\n\tc\"\n").empty());
    CHECK(error_of("a: |\n  \tb\n").empty());
    CHECK(error_of("a: {\n\tb:\t1\n}\n").empty());
    CHECK(error_of("a: {\n\tb: 1\n\tc: 2\n}\n").find("tab") == std::string::npos);
    CHECK(error_of("a: |\n  \tb\nc: d: e\n").find("tab") == std::string::npos);
    CHECK(error_of("a:\tb:\tc\n").find("tab") == std::string::npos);
}
