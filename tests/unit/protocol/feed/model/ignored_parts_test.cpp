#include "protocol/feed/model/ignored_parts.hpp"

#include <catch2/catch.hpp>

using sluice::feed::find_known_namespace;
using sluice::feed::IgnoredParts;

namespace {

std::string without(const std::vector<std::string>& names, std::string_view address) {
    std::string room;
    return std::string(IgnoredParts(names).without_parameters(address, room));
}

}  // namespace

TEST_CASE("IgnoredParts: an element is ignored by its namespace, or as it is written") {
    const std::vector<std::string> names{"slash:comments", "views", "x:hits", "?thr"};
    const IgnoredParts ignored(names);
    const auto* const slash = find_known_namespace("http://purl.org/rss/1.0/modules/slash/");
    const auto* const atom = find_known_namespace("http://www.w3.org/2005/Atom");
    CHECK(ignored.has_element(slash, "slash:", "comments"));
    CHECK(ignored.has_element(slash, "", "comments"));
    CHECK(!ignored.has_element(atom, "", "comments"));
    CHECK(!ignored.has_element(slash, "slash:", "ments"));
    CHECK(!ignored.has_element(nullptr, "", "comments"));
    CHECK(ignored.has_element(nullptr, "", "views"));
    CHECK(ignored.has_element(atom, "", "views"));
    CHECK(!ignored.has_element(nullptr, "a:", "views"));
    CHECK(ignored.has_element(nullptr, "x:", "hits"));
    CHECK(!ignored.has_element(nullptr, "", "thr"));
    CHECK(ignored.has_key("slash:comments"));
    CHECK(ignored.has_key("views"));
    CHECK(!ignored.has_key("comments"));
    CHECK(!IgnoredParts().has_key("views"));
}

TEST_CASE("IgnoredParts: an address without ignored parameters is the one that never had them") {
    const std::vector<std::string> names{"?utm_*", "?fbclid", "views"};
    const std::string kept = "http://a/?b=1#top";
    for (const std::string address : {
             "http://a/?b=1#top",
             "http://a/?b=1&utm_source=x&utm_medium=y%20z#top",
             "http://a/?utm_source=x&b=1&utm_medium=q#top",
             "http://a/?utm_source=x&utm_medium=y&b=1#top",
             "http://a/?b=1&fbclid=Iw_x-2#top",
             "http://a/?fbclid=&b=1#top",
             "http://a/?b=1;utm_source=x#top",
             "http://a/?b=1&amp;utm_source=x&#38;utm_medium=y&#038;fbclid=1#top",
             "http://a/?utm_source=x&amp;b=1#top",
             "http://a/?b=1\\u0026utm_source=x#top",
             "http://a/?utm_source=x\\u0026b=1#top",
             "http://a/?b=1&utm_source=(a),'b'!*$+:@/?~#top",
         }) {
        CAPTURE(address);
        CHECK(without(names, address) == kept);
    }
    CHECK(without(names, "http://a/?b=1&utm_x=1&#38") == "http://a/?b=1&#38");
    CHECK(without(names, "http://a/?utm_x=1") == "http://a/");
    CHECK(without(names, "http://a/?utm_x=1&") == "http://a/?");
    CHECK(without(names, "http://a/?utm_x=1&utm_y=2#f") == "http://a/#f");
}

TEST_CASE("IgnoredParts: whatever is no ignored parameter of an address stays") {
    const std::vector<std::string> names{"?utm_*", "?fbclid"};
    for (const std::string address : {
             "http://a/?utm_source",
             "http://a/utm_source=1",
             "http://a/&utm_source=1",
             "http://a/#?utm_source=1",
             "http://a/?fbclids=1",
             "http://a/?xfbclid=1",
             "http://a/?UTM_source=1",
             "http://a/?a=?utm_source=1",
             "http://a/?utm_source=1\u3002\u4EF7\u683C5",
             "http://a/?utm_source=1\uFF09 5",
             "http://a/?utm_source=1]5",
             "http://a/?utm_source=1\u00A05",
             "http://a/?utm_source=1\n5",
             "http://a/?utm_source=1|5",
             "http://a/?utm_source=1\\5",
             "",
             "?",
             "a?#",
         }) {
        CAPTURE(address);
        CHECK(without(names, address) == address);
    }
    CHECK(without(names, "http://a/?utm_source=1;id=5") == "http://a/?id=5");
    std::string many = "http://a/";
    for (int i = 0; i < 100'000; ++i) many += "?utm_";
    CHECK((without(names, many) == many));
}
