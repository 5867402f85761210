#include "protocol/feed/model/normal_text.hpp"

#include <catch2/catch.hpp>

using namespace sluice::feed;

namespace {

std::string normal(std::string_view text) {
    static const std::vector<std::string> names{"?utm_*"};
    std::string out;
    append_normal_text(out, text, IgnoredParts(names));
    return out;
}

}  // namespace

TEST_CASE("append_normal_text: a text that is an address loses ignored parameters, and http is https") {
    CHECK(normal("http://a/?utm_x=1") == "https://a/");
    CHECK(normal(" \n http://a/?b=1&utm_x=1 \n") == " \n https://a/?b=1 \n");
    CHECK(normal("ftp://a/?utm_x=1") == "ftp://a/");
    CHECK(normal("https://a/\u00FC?utm_x=1") == "https://a/\u00FC");
    CHECK(normal("https://a/?ids[]=1&utm_x=1") == "https://a/?ids[]=1");
}

TEST_CASE("append_normal_text: other text stays as it is") {
    for (const std::string_view text :
         {"a&utm_price=1", "a?utm_price=1", "see http://a/?utm_x=1", "http://a/?utm_x=1 and more",
          "http://a/?utm_x=1\nprice 5", "http://a/?utm_x=1\u3002 5", "\"http://a/?utm_x=1\"", "://a?utm_x=1",
          "1x://a?utm_x=1", "http:", "?", "<", "a < b ? c", "urn:x?utm_x=1"}) {
        CAPTURE(text);
        CHECK(normal(text) == text);
    }
}

TEST_CASE("append_normal_text: in HTML, href and src are addresses") {
    const std::string kept = "<p>x <a class='b' href=\"https://a/?b=1\">y</a></p>";
    for (const std::string_view html : {
             "<p>x <a class='b' href=\"https://a/?b=1\">y</a></p>",
             "<p>x <a class='b' href=\"http://a/?b=1&amp;utm_x=2\">y</a></p>",
             "<p>x <a class='b' href=\"http://a/?utm_x=2&b=1\">y</a></p>",
         }) {
        CAPTURE(html);
        CHECK(normal(html) == kept);
    }
    CHECK(normal("<img SRC='/a?utm_x=1' alt='?utm_x=1'>") == "<img SRC='/a' alt='?utm_x=1'>");
    CHECK(normal("<a href=http://a/?utm_x=1>") == "<a href=https://a/>");
    CHECK(normal("<a href = 'http://a/?utm_x=1'/>") == "<a href = 'https://a/'/>");
    CHECK(normal("<br/><img\nsrc=\"?utm_x=1&c=2\"><img src=\"?utm_x=3\">") == "<br/><img\nsrc=\"?c=2\"><img src=\"\">");
}

TEST_CASE("append_normal_text: what only looks like href and src in HTML stays") {
    for (const std::string_view html :
         {"<p>href='?utm_x=1'</p>", "<a data-href='?utm_x=1'>", "<a title=\"href='?utm_x=1'\">", "< a href='?utm_x=1'>",
          "<a href='?utm_x=1", "<a href=", "<a href", "<a ", "<", "</a href='x", "<!-- <-- ?", "1<2?utm_x=1>"}) {
        CAPTURE(html);
        CHECK(normal(html) == html);
    }
    std::string open;
    for (int i = 0; i < 100'000; ++i) open += "<a href='?";
    CHECK((normal(open) == open));
}
