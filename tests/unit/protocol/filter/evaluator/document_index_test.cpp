#include "protocol/filter/evaluator/document_index.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

#include "protocol/filter/evaluator/document_index_builder.hpp"

using namespace sluice::xpath;

namespace {

// <r x="1"><!--c-->t<p:a xmlns:p="u" p:y="2" z="3">v<?go on?>w</p:a>e</r>
DocumentIndex sample() {
    DocumentIndexBuilder builder;
    builder.open_element("r");
    builder.attribute("x", "1");
    builder.comment("c");
    builder.text("");
    builder.text("t");
    builder.open_element("p:a");
    builder.declaration("p", "u");
    builder.attribute("p:y", "2");
    builder.attribute("z", "3");
    builder.text("v");
    builder.processing_instruction("go", "on");
    builder.text("w");
    builder.text("x");
    builder.close_element();
    builder.text("e");
    builder.close_element();
    return builder.finish();
}

}  // namespace

TEST_CASE("nodes are numbered in document order, attributes behind their element") {
    const DocumentIndex index = sample();
    const NodeKind kinds[] = {NodeKind::document,  NodeKind::element,
                              NodeKind::attribute, NodeKind::comment,
                              NodeKind::text,      NodeKind::element,
                              NodeKind::attribute, NodeKind::attribute,
                              NodeKind::text,      NodeKind::processing_instruction,
                              NodeKind::text,      NodeKind::text};
    REQUIRE(index.size() == std::size(kinds));
    for (Node node = 0; node < index.size(); ++node) CHECK(index.kind(node) == kinds[node]);
    const char* values[] = {"tvwxe", "tvwxe", "1", "c", "t", "vwx", "2", "3", "v", "on", "wx", "e"};
    for (Node node = 0; node < index.size(); ++node) CHECK(index.string_value(node) == values[node]);
    CHECK(index.end(1) == 12);
    CHECK(index.end(5) == 11);
    CHECK(index.first_child(5) == 8);
    CHECK(index.next_sibling(5) == 11);
    CHECK(index.next_sibling(6) == no_node);
    CHECK(index.next_sibling(11) == no_node);
    CHECK(index.previous_sibling(11) == 5);
    CHECK(index.previous_sibling(3) == no_node);
    CHECK(index.previous_sibling(8) == no_node);
    CHECK(index.parent(7) == 5);
    CHECK(index.parent(document_node) == no_node);
    CHECK(index.name(5) == index.find_name("p:a"));
    CHECK(index.find_name("q") == no_name);
}

TEST_CASE("namespaces are those of the declarations above") {
    const DocumentIndex index = sample();
    CHECK(index.namespace_uri(5) == "u");
    CHECK(index.namespace_uri(6) == "u");
    CHECK(index.namespace_uri(7).empty());
    CHECK(index.namespace_uri(1).empty());
    CHECK(index.namespace_uri(4).empty());
}

TEST_CASE("a node's own namespace takes precedence over the declarations above") {
    DocumentIndexBuilder builder;
    builder.open_element("p:a");
    builder.own_namespace("v");
    builder.declaration("p", "u");
    builder.attribute("p:x", "1");
    builder.own_namespace("w");
    builder.attribute("p:y", "2");
    builder.open_element("p:b");
    builder.close_element();
    builder.close_element();
    DocumentIndex index = builder.finish();
    CHECK(index.namespace_uri(1) == "v");
    CHECK(index.namespace_uri(2) == "w");
    CHECK(index.namespace_uri(3) == "u");
    CHECK(index.namespace_uri(4) == "u");
    DocumentIndexBuilder again(std::move(index));
    again.open_element("p:a");
    again.close_element();
    CHECK(again.finish().namespace_uri(1).empty());
}

TEST_CASE("a document of nothing has one node") {
    const DocumentIndex index = DocumentIndexBuilder().finish();
    CHECK(index.size() == 1);
    CHECK(index.string_value(document_node).empty());
    CHECK(index.first_child(document_node) == no_node);
    CHECK(index.next_sibling(document_node) == no_node);
}

TEST_CASE("an index in the memory of another has nothing of it") {
    DocumentIndex index = sample();
    CHECK(index.string_value(1) == "tvwxe");
    for (int round = 0; round < 3; ++round) {
        const std::size_t bytes = index.bytes();
        DocumentIndexBuilder builder(std::move(index));
        builder.open_element("p:b");
        builder.text("1");
        builder.open_element("z");
        builder.close_element();
        builder.text("2");
        builder.close_element();
        index = builder.finish();
        CHECK(index.bytes() == bytes);
        REQUIRE(index.size() == 5);
        CHECK(index.bytes_read() == 0);
        CHECK(index.string_value(1) == "12");
        CHECK(index.string_value(3).empty());
        CHECK(index.find_name("p:a") == no_name);
        CHECK(index.name_text(index.name(3)) == "z");
        CHECK(index.namespace_uri(1).empty());
    }
}

TEST_CASE("text is read once, and joined only where it is in pieces") {
    const DocumentIndex index = sample();
    CHECK(index.string_value(4) == "t");
    CHECK(index.string_value(4) == "t");
    CHECK(index.bytes_read() == 1);
    CHECK(index.string_value(10) == "wx");
    const std::size_t read = index.bytes_read();
    CHECK(read == 1 + 2 + 5);  // t; v and e; all of them
    CHECK(index.string_value(5) == "vwx");
    CHECK(index.string_value(document_node) == "tvwxe");
    CHECK(index.bytes_read() == read);
}

TEST_CASE("joining text lets the hook interrupt it, and begins again afterwards") {
    const std::string text(1000, 'x');
    DocumentIndexBuilder builder;
    builder.open_element("r");
    for (int i = 0; i < 1000; ++i) {
        builder.text(text.c_str());
        builder.comment("");
    }
    builder.close_element();
    const DocumentIndex index = builder.finish();
    bool throws = true;
    Meter meter([&] {
        if (throws) throw std::runtime_error("enough");
    });
    CHECK_THROWS_AS(index.string_value(1, &meter), std::runtime_error);
    throws = false;
    CHECK(index.string_value(1, &meter).size() == 1'000'000);
    CHECK(meter.spent() == 0);
}
