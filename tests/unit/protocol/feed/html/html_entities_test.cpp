#include "protocol/feed/html/html_entities.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::feed;

TEST_CASE("HTML's entities by name") {
    CHECK(html_entity("nbsp") == "\xC2\xA0");
    CHECK(html_entity("eacute") == "\xC3\xA9");
    CHECK(html_entity("yuml") == "\xC3\xBF");
    CHECK(html_entity("fnof") == "\xC6\x92");
    CHECK(html_entity("OElig") == "\xC5\x92");
    CHECK(html_entity("mdash") == "\xE2\x80\x94");
    CHECK(html_entity("hellip") == "\xE2\x80\xA6");
    CHECK(html_entity("euro") == "\xE2\x82\xAC");
    CHECK(html_entity("diams") == "\xE2\x99\xA6");
    CHECK(html_entity("Alpha") == "\xCE\x91");
    CHECK(html_entity("alpha") == "\xCE\xB1");
    CHECK(html_entity("lbrace") == "{");
    CHECK(html_entity("nGt") == "\u226B\u20D2");
    CHECK(html_entity("LT") == "<");
    CHECK(html_entity("zwnj") == "\u200C");
    for (const char* none : {"", " ", "Nbsp", "amp", "lt", "gt", "quot", "apos", "8217", "nbsp "}) {
        CHECK(html_entity(none).empty());
    }
}
