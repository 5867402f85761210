#include "protocol/feed/scanned_leaves.hpp"

#include <catch2/catch.hpp>

#include "protocol/feed/fields.hpp"
#include "tests/support/tree_document.hpp"

using namespace sluice;

namespace {

const std::string shop =
    "<rss><channel><title>T</title><item><title>A</title><p>1</p><p>5</p></item><item><title>B</title><category>x"
    "</category><category>y</category></item><item><title>A</title></item></channel></rss>";

Event item(std::size_t index) {
    static const auto document = std::make_shared<TreeDocument>(shop, "/rss/channel/item", FeedFormat::rss);
    return {document, index, std::make_shared<const std::string>("news"), index + 1};
}

// For items 0, 1 and 2.
std::string holds(const std::string& key) {
    ScannedLeaves leaves;
    leaves.assign(std::vector{key});
    std::string answers;
    for (std::size_t i = 0; i < 3; ++i) answers += leaves.holds(0, item(i)).value() ? '1' : '0';
    return answers;
}

}  // namespace

TEST_CASE("a test is the boolean value at the event's element") {
    CHECK(holds("test title = 'A'") == "101");
    CHECK(holds("test p[2] > 4") == "100");
    CHECK(holds("test count(p)") == "100");          // a number
    CHECK(holds("test string(category)") == "010");  // a string
    CHECK(holds("test category") == "010");          // a node-set
    CHECK(holds("test ../title = 'T'") == "111");
    CHECK(holds("test preceding-sibling::item") == "011");
}

TEST_CASE("a select holds for the elements of its node-set") {
    CHECK(holds("select //item[title='A']") == "101");
    CHECK(holds("select //item[2]") == "010");
    CHECK(holds("select //item[last()]") == "001");
    CHECK(holds("select /rss/channel/item[position() < 3][title='A']") == "100");
    CHECK(holds("select //title") == "000");
    CHECK(holds("select //item[title='A'] | //item[2]") == "111");
}

TEST_CASE("variables are node-sets") {
    CHECK(holds("test $title = 'A'") == "101");
    CHECK(holds("test count($category) = 2") == "010");
    CHECK(holds("test $category = 'y' and $stream = 'news'") == "010");
    CHECK(holds("test concat($title, $stream) = 'Bnews'") == "010");
    CHECK(holds("test $feed_title = 'T'") == "111");
    CHECK(holds("select //item[title = $title][2]") == "001");
    CHECK(holds("test number($published)") == "000");
}

TEST_CASE("what pugixml can't compile holds for nothing") {
    CHECK(holds("test title = ") == "000");
    CHECK(holds("test $nonsense") == "000");
    CHECK(holds("select title = 'A'") == "000");
    CHECK(holds("title = 'A'") == "000");
}

TEST_CASE("leaves keep their meaning when others come and go") {
    ScannedLeaves leaves;
    leaves.assign(std::vector<std::string>{"test title = 'A'", "select //item[2]"});
    CHECK(leaves.holds(0, item(0)).value());
    CHECK(leaves.holds(1, item(1)).value());
    leaves.assign(std::vector<std::string>{"select //item[2]", "test p = 5", "test title = 'A'"});
    CHECK_FALSE(leaves.holds(0, item(0)).value());
    CHECK(leaves.holds(0, item(1)).value());
    CHECK(leaves.holds(1, item(0)).value());
    CHECK(leaves.holds(2, item(2)).value());
}

TEST_CASE("the node-set of a document is not that of another, in one batch or the next") {
    ScannedLeaves leaves;
    leaves.assign(std::vector<std::string>{"select //item[title='A']"});
    for (int batch = 0; batch < 100; ++batch) {
        CHECK(leaves.holds(0, tree_event("<r><item><title>A</title></item></r>", "//item")).value());
        CHECK_FALSE(leaves.holds(0, tree_event("<r><item><title>B</title></item></r>", "//item")).value());
        if (batch % 3 == 0) leaves.end_batch();
    }
}

namespace {

// So many items, each with a title of its own.
DocumentPtr numbered(std::size_t items) {
    std::string xml = "<r>";
    for (std::size_t i = 0; i < items; ++i) xml += "<item><title>" + std::to_string(i) + "</title></item>";
    return std::make_shared<TreeDocument>(xml + "</r>", "//item");
}
Event event_of(const DocumentPtr& document, std::size_t index = 0) {
    return {document, index, std::make_shared<const std::string>("news"), index + 1};
}

}  // namespace

TEST_CASE("what would take too long for a document is not begun") {
    ScannedLeaves leaves(std::chrono::milliseconds(10));
    leaves.assign(std::vector<std::string>{"select //item[not(title = preceding-sibling::item/title)]",
                                           "test //title = //title", "test count(//title) > 5"});
    const DocumentPtr small = numbered(20), large = numbered(2000);
    CHECK(leaves.holds(0, event_of(small)).value());
    CHECK(leaves.holds(1, event_of(small)).value());
    CHECK_FALSE(leaves.holds(0, event_of(large)));
    CHECK_FALSE(leaves.holds(1, event_of(large)));
    CHECK(leaves.holds(2, event_of(large)).value());
    leaves.end_batch();
    CHECK_FALSE(leaves.holds(0, event_of(large)));
    CHECK(leaves.holds(0, event_of(small)).value());
}

TEST_CASE("what has taken too long for a document is not asked of it again") {
    ScannedLeaves leaves(std::chrono::milliseconds(1));
    leaves.assign(std::vector<std::string>{"test count(//title) > 5", "test title"});
    DocumentPtr document = numbered(20);
    for (std::size_t i = 0; i < 3; ++i) {
        REQUIRE(leaves.holds(0, event_of(document, i)).value());
        leaves.took(0, event_of(document, i), std::chrono::microseconds(i < 2 ? 500 : 1));
        leaves.took(1, event_of(document, i), std::chrono::microseconds(100));
        leaves.end_batch();
    }
    REQUIRE(leaves.holds(0, event_of(document, 3)).value());
    leaves.took(0, event_of(document, 3), std::chrono::microseconds(20));
    CHECK_FALSE(leaves.holds(0, event_of(document, 4)));
    CHECK(leaves.holds(1, event_of(document, 4)).value());
    CHECK(leaves.holds(0, event_of(numbered(20))).value());
    document.reset();
    leaves.end_batch();
    CHECK(leaves.holds(0, event_of(numbered(20))).value());
    leaves.assign(std::vector<std::string>{"test title"});
    CHECK(leaves.holds(0, event_of(numbered(20))).value());
}
