#include "protocol/feed/model/node_text.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::feed;

namespace {

std::string xpath_string(const std::string& expression, pugi::xml_node node = {}) {
    return pugi::xpath_query(expression.c_str()).evaluate_string(pugi::xpath_node(node));
}

}  // namespace

TEST_CASE("normalize_space is XPath's and copies only what changes") {
    for (const std::string text : {"", " ", "a", " a", "a ", "a b", "a  b", "\ta\n\r b ", "a\tb", "  ", "a b c d"}) {
        pugi::xml_document tree;
        tree.append_child("t").append_child(pugi::node_pcdata).set_value(text.c_str());
        TextArena arena;
        const std::string_view normal = normalize_space(text, arena);
        CHECK(normal == xpath_string("normalize-space(t)", tree));
        if (normal == text) CHECK(normal.data() == text.data());
    }
}

TEST_CASE("string_value is a view of the tree when the text is in one piece") {
    pugi::xml_document tree;
    REQUIRE(tree.load_string("<r><a>one</a><b><c/><d>two</d></b><e>x<f>y</f><![CDATA[z]]><!--c-->w</e><g/></r>"));
    TextArena arena;
    const auto value = [&](const char* path) { return string_value(tree.select_node(path).node(), arena); };
    CHECK(value("/r/a").data() == tree.select_node("/r/a/text()").node().value());
    CHECK(value("/r/b").data() == tree.select_node("/r/b/d/text()").node().value());
    CHECK(value("/r/e") == "xyzw");
    CHECK(value("/r/g").empty());
    CHECK(string_value(tree, arena) == "onetwoxyzw");
}
