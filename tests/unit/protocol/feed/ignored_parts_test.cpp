#include "protocol/feed/ignored_parts.hpp"

#include <catch2/catch.hpp>

using sluice::feed::IgnoredParts;

namespace {

std::string without(std::vector<std::string> names, std::string_view source) {
    std::string room;
    return std::string(IgnoredParts(names).without(source, room));
}

}  // namespace

TEST_CASE("elements are left out by their whole name") {
    const std::vector<std::string> names{"slash:comments", "n"};
    CHECK(without(names, "<a>1<slash:comments>17</slash:comments>2</a>") == "<a>12</a>");
    CHECK(without(names, "<a><slash:comments x='>' />2<n/></a>") == "<a>2</a>");
    CHECK(without(names, "<a><n\n>5</n ></a>") == "<a></a>");
    CHECK(without(names, "<nn>1</nn><n>2</n><n>3</n>") == "<nn>1</nn>");
    CHECK(without(names, "<n>never closed") == "<n>never closed");
    CHECK(without(names, "<n").size() == 2);
    CHECK(without(names, "<n a='") == "<n a='");
    CHECK(without(names, "").empty());
    CHECK(without({}, "<n/>") == "<n/>");
}

TEST_CASE("query parameters are left out with their values") {
    const std::vector<std::string> names{"?utm_*", "?fbclid"};
    const std::string kept = "<link>http://a/?b=1#top</link>";
    CHECK(without(names, kept) == kept);
    CHECK(without(names, "<link>http://a/?b=1&amp;utm_source=x&amp;utm_medium=y%20z#top</link>") == kept);
    CHECK(without(names, "<link>http://a/?b=1&#38;utm_source=&#38;utm_medium=q#top</link>") == kept);
    CHECK(without(names, "<link>http://a/?utm_source=x&amp;b=1&amp;utm_medium=q#top</link>") == kept);
    CHECK(without(names, "<link>http://a/?utm_source=x&amp;utm_medium=q&amp;b=1#top</link>") == kept);
    CHECK(without(names, "'http://a/?fbclid=Iw_x' fbclid=1 ?fbclids=2") == "'http://a/' fbclid=1 ?fbclids=2");
    CHECK(without(names, "\"url\":\"http://a/?utm_x=1&utm_y=2\",") == "\"url\":\"http://a/\",");
    CHECK(without(names, "http://a/?utm_x=1&") == "http://a/?");
    CHECK(without(names, "?utm_source") == "?utm_source");
}

TEST_CASE("parts that overlap are left out once") {
    CHECK(without({"n", "?u"}, "<a><n>http://x/?u=1</n>?u=2</a>") == "<a></a>");
    CHECK(without({"n", "n"}, "<a><n>1</n>2</a>") == "<a>2</a>");
}

TEST_CASE("look-alikes without an end are kept, however many there are") {
    const std::vector<std::string> names{"n", "?u"};
    CHECK(without(names, "<![CDATA[<n don't]]><n>1</n>?u=1") == "<![CDATA[<n don't]]>");
    std::string open;
    for (int i = 0; i < 100'000; ++i) open += i % 2 == 0 ? "<n>" : "<n '";
    CHECK((without(names, open + "?u=1") == open));
    std::string parameters;
    for (int i = 0; i < 100'000; ++i) parameters += "?u";
    CHECK((without({"?u*"}, parameters) == parameters));
}
