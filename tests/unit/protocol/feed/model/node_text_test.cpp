#include "protocol/feed/model/node_text.hpp"

#include <catch2/catch.hpp>
#include <pugixml.hpp>

#include "tests/support/tree_document.hpp"

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
    const TreeDocument document("<r><a>one</a><b><c/><d>two</d></b><e>x<f>y</f><![CDATA[z]]><!--c-->w</e><g/></r>",
                                "/r");
    const TreeNode r = document.tree().root();
    TextArena arena;
    CHECK(string_value(r.child("a"), arena).data() == r.child_value("a").data());
    CHECK(string_value(r.child("b"), arena).data() == r.at_path("b/d").child_value().data());
    CHECK(string_value(r.child("e"), arena) == "xyzw");
    CHECK(string_value(r.child("g"), arena).empty());
    CHECK(string_value(document.tree().document(), arena) == "onetwoxyzw");
}
