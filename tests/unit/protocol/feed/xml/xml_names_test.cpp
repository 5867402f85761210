#include "protocol/feed/xml/xml_names.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice;
using namespace sluice::feed;

namespace {

XmlAttribute attribute(std::string_view full, std::string_view local, std::string_view uri, std::size_t begin) {
    XmlAttribute a;
    a.name = {full, full.substr(0, full.size() - local.size()), local};
    a.uri = uri;
    a.begin = begin;
    return a;
}

}  // namespace

TEST_CASE("a repeated attribute is found among few and among many") {
    std::vector<std::string> names;
    for (int i = 0; i < 30; ++i) names.push_back("a" + std::to_string(i));
    for (std::size_t n = 0; n < names.size(); ++n) {
        XmlAttributes attributes;
        for (std::size_t i = 0; i < n; ++i) attributes.push_back(attribute(names[i], names[i], "", i));
        CHECK_FALSE(find_repeated(attributes));
        if (n == 0) continue;
        auto same_name = attributes;
        same_name.push_back(attribute(names[n / 2], names[n / 2], "", n));
        const XmlAttribute* found = find_repeated(same_name);
        REQUIRE(found);
        CHECK(found->begin == n);
        auto same_namespace = attributes;
        same_namespace.push_back(attribute("p:x", "x", "u", n));
        CHECK_FALSE(find_repeated(same_namespace));
        same_namespace.push_back(attribute("q:x", "x", "u", n + 1));
        CHECK(find_repeated(same_namespace));
        same_namespace.back().uri = "v";
        CHECK_FALSE(find_repeated(same_namespace));
    }
}

TEST_CASE("qualified names") {
    const std::string text = "a:b c :d e: f:g:h";
    XmlCursor cursor(text);
    QName name;
    REQUIRE(read_qname(cursor, name, "a name"));
    CHECK(name.full == "a:b");
    CHECK(name.prefix == "a");
    CHECK(name.local == "b");
    cursor.skip_space();
    name = {};
    REQUIRE(read_qname(cursor, name, "a name"));
    CHECK(name.full == "c");
    CHECK(name.prefix.empty());
    cursor.skip_space();
    CHECK_FALSE(read_qname(cursor, name, "a name"));
    CHECK(cursor.error().message == "expected a name, found ':'");
    XmlCursor colon(text);
    colon.move_to(9);
    CHECK_FALSE(read_qname(colon, name, "a name"));
    CHECK(colon.error().message == "expected a name after ':', found U+0020");
}
