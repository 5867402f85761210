#include "protocol/feed/model/media_type.hpp"

#include <catch2/catch.hpp>

using namespace sluice;
using namespace sluice::feed;

TEST_CASE("a content type and its charset") {
    struct Case {
        const char *text, *type, *charset;
    };
    const Case cases[] = {
        {"", "", ""},
        {"text/xml", "text/xml", ""},
        {"Application/RSS+XML ; Charset=UTF-8", "application/rss+xml", "UTF-8"},
        {"text/xml;charset=\"iso-8859-1\"", "text/xml", "iso-8859-1"},
        {"text/xml; a=\"x;charset=no\"; charset = utf-16 ;b", "text/xml", "utf-16"},
        {"text/xml; charset=first; charset=second", "text/xml", "first"},
        {"text/xml; charset", "text/xml", ""},
        {"text/xml; charset=\"", "text/xml", "\""},
        {"text/xml; a=\"\\", "text/xml", ""},
        {";;;", "", ""},
    };
    for (const Case& c : cases) {
        INFO(c.text);
        const MediaType media_type(c.text);
        CHECK(media_type.type == c.type);
        CHECK(media_type.charset == c.charset);
    }
}
