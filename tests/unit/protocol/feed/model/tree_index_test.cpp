#include "protocol/feed/model/tree_index.hpp"

#include <catch2/catch.hpp>

#include "tests/support/tree_document.hpp"

using namespace sluice;
using namespace sluice::feed;
using xpath::NodeKind;

TEST_CASE("a tree is indexed as XPath's data model has it") {
    const TreeDocument document(
        "<!--c--><r xmlns='u' xmlns:p='v' k='1'> <p:i>a<![CDATA[b]]>c<!--x-->d</p:i><i/><?go on?></r>", "/r/*");
    xpath::Meter meter;
    const TreeIndex index = index_tree(document, meter);
    const NodeKind kinds[] = {NodeKind::document,
                              NodeKind::comment,
                              NodeKind::element,
                              NodeKind::attribute,
                              NodeKind::text,
                              NodeKind::element,
                              NodeKind::text,
                              NodeKind::comment,
                              NodeKind::text,
                              NodeKind::element,
                              NodeKind::processing_instruction};
    REQUIRE(index.nodes.size() == std::size(kinds));
    for (xpath::Node node = 0; node < index.nodes.size(); ++node) CHECK(index.nodes.kind(node) == kinds[node]);
    CHECK(index.items == std::vector<xpath::Node>{5, 9});
    CHECK(index.nodes.string_value(5) == "abcd");
    CHECK(index.nodes.string_value(6) == "abc");
    CHECK(index.nodes.namespace_uri(5) == "v");
    CHECK(index.nodes.namespace_uri(9) == "u");
    CHECK(meter.spent() > index.nodes.size());

    std::vector<TreeNode> elements;
    CHECK(index_elements(document, PugiTree(document), elements, meter).size() == index.nodes.size());
    REQUIRE(elements.size() == index.nodes.size());
    CHECK(elements[9] == document.items()[1].element);
    CHECK_FALSE(elements[6]);
}
