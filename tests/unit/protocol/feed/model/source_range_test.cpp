#include "protocol/feed/model/source_range.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice::feed;

TEST_CASE("find_item: nested items → each is found at its own offset") {
    const DocumentPtr document = parsed("<a>x<a k='1'>y</a><a/></a>", {"", "//a", {}});
    REQUIRE(document->items().size() == 3);
    CHECK(source_range(*document, 0) == SourceRange{0, 26});
    CHECK(source_range(*document, 1) == SourceRange{4, 14});
    CHECK(source_range(*document, 2) == SourceRange{18, 4});
    for (std::size_t i = 0; i < 3; ++i) CHECK(find_item(*document, source_range(*document, i)) == i);
}

TEST_CASE("find_item: no item there, or one of another length → none") {
    const DocumentPtr document = parsed("<a><b/><c/></a>");
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    REQUIRE(find_item(*document, {3, 4}) == 0u);
    REQUIRE(find_item(*document, {7, 4}) == 1u);
    for (const SourceRange wrong :
         {SourceRange{}, SourceRange{2, 4}, SourceRange{4, 4}, SourceRange{3, 3}, SourceRange{3, 8},
          SourceRange{3, most}, SourceRange{11, 4}, SourceRange{15, 0}, SourceRange{most, 4}, SourceRange{most, most}})
        CHECK(!find_item(*document, wrong));
    CHECK(!find_item(*parsed("<rss/>"), {}));
}
