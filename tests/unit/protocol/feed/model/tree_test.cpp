#include "protocol/feed/model/tree.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "protocol/feed/item/event_json.hpp"
#include "protocol/feed/item/identity.hpp"
#include "protocol/feed/model/pugi_tree.hpp"
#include "protocol/feed/model/text_blocks.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/feed/values/scanned_leaves.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

const std::string feed_text =
    "<?xml version='1.0'?><!--before--><rss xmlns:d='http://purl.org/dc/elements/1.1/' version='2.0'><channel>"
    "<title>T</title><item><title>a &amp; b</title><d:creator k='1\n2'>A</d:creator><?go  on?><![CDATA[c\r\nd]]></item>"
    "<item/></channel></rss>";

// Of all nodes: "element rss", in document order.
std::vector<std::string> nodes_of(const Tree& tree) {
    static const char* const types[] = {"none", "document", "element", "text", "cdata", "comment", "instruction"};
    std::vector<std::string> nodes;
    const TreeNode document = tree.document();
    for (TreeNode node = document.first_child(); node; node = node.next_below(document)) {
        std::string& text = nodes.emplace_back(types[static_cast<int>(node.type())]);
        if (!node.name().empty()) text.append(" ").append(node.name());
        if (!node.value().empty()) text.append(" ").append(node.value());
    }
    return nodes;
}

}  // namespace

TEST_CASE("a tree has what XPath sees, with customary prefixes and without references") {
    const DocumentPtr document = parsed(feed_text);
    CHECK(nodes_of(document->tree()) ==
          std::vector<std::string>{"comment before", "element rss", "element channel", "element title", "text T",
                                   "element item", "element title", "text a & b", "element dc:creator", "text A",
                                   "instruction go on", "cdata c\nd", "element item"});
    const TreeNode item = document->items()[0].element;
    CHECK(item.child("dc:creator").attribute("k").value() == "1 2");
    CHECK(item.parent().name() == "channel");
    CHECK(item.next_sibling("item") == document->items()[1].element);
    CHECK(document->tree().root().at_path("channel/item/title").child_value() == "a & b");
    CHECK(document->tree().root().attributes().size() == 2);
}

TEST_CASE("what a node lacks is null") {
    const Tree tree;
    for (const TreeNode node : {TreeNode(), tree.document().first_child(), tree.root(), tree.document().parent()}) {
        CHECK_FALSE(node);
        CHECK(node.type() == NodeType::none);
        CHECK(node.name().empty());
        CHECK(node.value().empty());
        CHECK_FALSE(node.parent());
        CHECK_FALSE(node.first_child());
        CHECK_FALSE(node.next_sibling());
        CHECK_FALSE(node.next_sibling("a"));
        CHECK_FALSE(node.child("a"));
        CHECK_FALSE(node.at_path("a/b"));
        CHECK(node.attributes().empty());
        CHECK_FALSE(node.attribute("a"));
        CHECK(node.child_value().empty());
        CHECK(node.children().begin() == node.children().end());
    }
    CHECK_FALSE(tree.document().next_sibling());
}

TEST_CASE("a tree is as it should be while it is built, and without what was removed") {
    Tree tree(0, 0);
    const TreeNode feed = tree.open("feed");
    const TreeNode first = tree.open("item");
    tree.attribute("id", "1");
    tree.open("a");
    tree.leaf(NodeType::text, "x");
    CHECK(first.child_value("a") == "x");
    CHECK_FALSE(first.next_sibling());
    tree.close_to(feed);
    const TreeNode second = tree.open("item");
    tree.attribute("id", "2");
    CHECK(first.next_sibling() == second);
    CHECK(second.attribute("id").value() == "2");
    tree.open("b");
    tree.remove_last(second);
    CHECK_FALSE(first.next_sibling());
    const TreeNode third = tree.open("item");
    tree.finish();
    CHECK(third.element_number() == 3);
    CHECK(third.attributes().empty());
    CHECK(nodes_of(tree) ==
          std::vector<std::string>{"element feed", "element item", "element a", "text x", "element item"});
    CHECK(tree.elements() == 4);
}

TEST_CASE("texts that are kept stay where they are, and take no more than is said") {
    TextBlocks blocks;
    std::vector<std::pair<std::string_view, std::string>> kept;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < 4'000; ++i) {
        const std::string text(i % 7 == 0 ? i * 13 % 5'000 : i % 61, static_cast<char>('a' + i % 26));
        kept.emplace_back(blocks.keep(text), text);
        bytes += text.size();
        if (blocks.bytes() > TextBlocks::bytes_max(bytes)) FAIL(blocks.bytes() << " bytes for " << bytes);
    }
    for (const auto& [copy, text] : kept) REQUIRE(copy == text);
    CHECK(blocks.keep({}).empty());
}

TEST_CASE("pugixml makes a tree where a scanned condition is asked, and nowhere else") {
    const std::size_t before = PugiTree::made();
    DocumentOptions options;
    options.digests.emplace();
    const DocumentPtr document = parsed(feed_text, options);
    const Event event{document, 0, std::make_shared<const std::string>("s"), 1};
    const ItemIdentities identities(*document);
    CHECK(identities.of(event.item()).id.empty());
    CHECK(event_json(event, JsonValues::all).find("a & b") != std::string::npos);
    const std::vector<std::string> names = {"title", "../title", "dc:creator/@k"};
    engine::EventBatch batch;
    TextArena arena;
    ValueGroups groups;
    Extractor(names).extract(event, batch, arena, groups);
    CHECK_FALSE(batch.values.empty());
    CHECK(PugiTree::made() == before);

    const auto filter = filter::compile_filter("following-sibling::item");
    REQUIRE(filter.has_value());
    ScannedLeaves leaves;
    leaves.assign({filter->disjunction.predicates.at(0).condition});
    CHECK(leaves.holds(0, event) == true);
    CHECK(leaves.holds(0, {document, 1, event.stream, 2}) == false);
    CHECK(PugiTree::made() == before + 1);
}
