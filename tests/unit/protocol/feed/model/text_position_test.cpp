#include "protocol/feed/model/text_position.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::feed;

TEST_CASE("lines end with LF, CR LF or CR, and columns count characters") {
    struct Case {
        const char* before;
        std::size_t line, column;
    };
    const Case cases[] = {
        {"", 1, 1},
        {"ab", 1, 3},
        {"\n", 2, 1},
        {"a\nb", 2, 2},
        {"a\r\nb", 2, 2},
        {"a\rb", 2, 2},
        {"\r\r\n\n", 4, 1},
        {"\xC3\xA9\xE2\x82\xAC", 1, 3},
        {"\xEF\xBB\xBFx", 1, 2},
        {"\xEF\xBB\xBF", 1, 1},
        {"\xEF\xBB\xBFx\ny", 2, 2},
    };
    for (const Case& c : cases) {
        const std::string text(c.before);
        const TextPosition position = position_in(text + "rest\n", text.size());
        CHECK(position.line == c.line);
        CHECK(position.column == c.column);
    }
    CHECK(position_in("a\nb", 99).line == 2);
}
