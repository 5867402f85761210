#include "protocol/feed/xml/xml_text.hpp"

#include <catch2/catch.hpp>

using namespace sluice::feed;

namespace {

std::string content(std::string_view text) {
    std::string xml;
    append_xml_content(xml, text);
    return xml;
}

std::string attribute(std::string_view value) {
    std::string xml;
    append_xml_attribute(xml, "a", value);
    return xml;
}

}  // namespace

TEST_CASE("text is escaped so that a reader sees the same text") {
    CHECK(content("") == "");
    CHECK(content("a <b> & ]]> \"'\t\n\r\u00e9") == "a &lt;b&gt; &amp; ]]&gt; \"'\t\n&#13;\u00e9");
    CHECK(attribute("a <b> & \"'\t\n\r\u00e9") == " a=\"a &lt;b&gt; &amp; &quot;'&#9;&#10;&#13;\u00e9\"");
}

TEST_CASE("characters that XML can't have become U+FFFD") {
    CHECK(content("a\x01\x7f\x1f") == "a\uFFFD\x7f\uFFFD");
    CHECK(content("\uFFFD\uFFFE\uFFFF") == "\uFFFD\uFFFD\uFFFD");
    CHECK(content("\xEF\xBF\xBC\xEF") == "\uFFFC\uFFFD");
    CHECK(attribute("\b") == " a=\"\uFFFD\"");
}
