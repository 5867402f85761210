#include "protocol/filter/explain.hpp"

#include <catch2/catch.hpp>

#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

std::string explained(const char* text) {
    const auto filter = compile_filter(text);
    REQUIRE(filter.has_value());
    return explain(*filter);
}

}  // namespace

TEST_CASE("an explanation names the form, the leaves and the conjunctions") {
    CHECK(explained("//item[price < 90 or not(local-name() = 'x')]") ==
          "filter: //item[not(local-name(.) = 'x') or price < 90]\n"
          "form:   a path that selects items\n"
          "leaves:\n"
          "  [1] name(.) = 'item'\n"
          "      indexed on name(.)\n"
          "  [2] price < 90\n"
          "      indexed on price\n"
          "  [3] local-name(.) = 'x'\n"
          "      scanned: it uses local-name() in a way that has no index\n"
          "      cost: about as many steps as the item has nodes\n"
          "matches when one of these holds:\n"
          "  [1] and not [3]\n"
          "  [1] and [2]\n"
          "1 leaf is scanned: evaluated for each item that still needs it.\n");
    CHECK(explained("category = 'a'") ==
          "filter: category = 'a'\n"
          "form:   a test of each item\n"
          "leaves:\n"
          "  [1] category = 'a'\n"
          "      indexed on category\n"
          "matches when this holds:\n"
          "  [1]\n");
}

TEST_CASE("the summary agrees with the cost of a scanned leaf") {
    const std::string once = "1 leaf is scanned: evaluated once for all items of a document, if any needs it.\n";
    const std::string each = "1 leaf is scanned: evaluated for each item that still needs it.\n";
    const std::string shared = explained("boolean(//a[string-length(/) = 7])");
    CHECK(shared.find("n nodes, once for all its items\n") != std::string::npos);
    CHECK(shared.ends_with(once));
    CHECK(explained("(//item)[1]").ends_with(once));
    CHECK(explained("boolean(//a) and not(.//b)").ends_with(once + each));
}

TEST_CASE("filters that need no look at the item say so") {
    CHECK(explained("a and not(a)") == "filter: a and not(a)\nform:   a test of each item\nIt can never match.\n");
    CHECK(explained("//*") == "filter: //*\nform:   a path that selects items\nIt matches every item.\n");
}

TEST_CASE("a scanned leaf says why") {
    const std::pair<const char*, const char*> cases[] = {
        {"a = b", "it compares two values of the event"},
        {".//a", "its path has '//'"},
        {"/a = 'x'", "its path starts at the root of the document"},
        {"ancestor::a", "its path has the axis ancestor"},
        {"a[2] = 'x'", "its path has a predicate"},
        {"(a)[2] = 'x'", "it filters a set of nodes"},
        {"a/.. = 'x'", "its path does not consist of"},
        {"price * 2 < 10", "it computes with numbers"},
        {"a | b", "it joins paths by '|'"},
        {"translate(a, 'b', 'c') = 'd'", "it uses translate() in a way that has no index"},
        {"(//item)[1]", "it selects by position or along an axis"},
    };
    for (const auto& [text, reason] : cases) {
        const std::string explanation = explained(text);
        INFO(explanation);
        CHECK(explanation.find(std::string("scanned: ") + reason) != std::string::npos);
    }
}
