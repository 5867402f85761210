#include "protocol/text/uri_reference.hpp"

#include <catch2/catch.hpp>
#include <utility>

using sluice::text::is_absolute_uri;
using sluice::text::resolve_reference;

TEST_CASE("the examples of RFC 3986, 5.4") {
    const std::pair<const char*, const char*> cases[] = {
        {"g:h", "g:h"},
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q#s"},
        {"g#s", "http://a/b/c/g#s"},
        {"g?y#s", "http://a/b/c/g?y#s"},
        {";x", "http://a/b/c/;x"},
        {"g;x", "http://a/b/c/g;x"},
        {"g;x?y#s", "http://a/b/c/g;x?y#s"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"./", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../..", "http://a/"},
        {"../../", "http://a/"},
        {"../../g", "http://a/g"},
        {"../../../g", "http://a/g"},
        {"../../../../g", "http://a/g"},
        {"/./g", "http://a/g"},
        {"/../g", "http://a/g"},
        {"g.", "http://a/b/c/g."},
        {".g", "http://a/b/c/.g"},
        {"g..", "http://a/b/c/g.."},
        {"..g", "http://a/b/c/..g"},
        {"./../g", "http://a/b/g"},
        {"./g/.", "http://a/b/c/g/"},
        {"g/./h", "http://a/b/c/g/h"},
        {"g/../h", "http://a/b/c/h"},
        {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"g?y/../x", "http://a/b/c/g?y/../x"},
        {"g#s/./x", "http://a/b/c/g#s/./x"},
        {"g#s/../x", "http://a/b/c/g#s/../x"},
        {"http:g", "http:g"},
    };
    for (const auto& [reference, target] : cases) {
        INFO(reference);
        CHECK(resolve_reference("http://a/b/c/d;p?q", reference) == target);
    }
}

TEST_CASE("bases without a path or hierarchy") {
    CHECK(resolve_reference("http://a", "b") == "http://a/b");
    CHECK(resolve_reference("http://a", "../b") == "http://a/b");
    CHECK(resolve_reference("http://a?q", "?x") == "http://a?x");
    CHECK(resolve_reference("http://a/b//c", "../d") == "http://a/b/d");
    CHECK(resolve_reference("file:///a/b", "c") == "file:///a/c");
    CHECK(resolve_reference("mailto:a@b", "c") == "c");
    CHECK(resolve_reference("", "c") == "c");
    CHECK(resolve_reference("/a/b", "c") == "c");
    CHECK(resolve_reference("//a/b", "c") == "c");
    CHECK(resolve_reference("http://a/b", "https://x/../y") == "https://x/../y");
}

TEST_CASE("characters that a URI can't have are kept") {
    CHECK(resolve_reference("http://ä.example/ö/ü", "é è|") == "http://ä.example/ö/é è|");
    CHECK(resolve_reference("http://a/", "1:2") == "http://a/1:2");
}

TEST_CASE("an absolute URI begins with a scheme") {
    for (const char* text : {"http://a", "mailto:x", "urn:isbn:1", "a+b-c.1:"}) CHECK(is_absolute_uri(text));
    for (const char* text : {"", "a", "/a:b", "//a:80/", "1:2", ":", "ä:b", "a b:c"})
        CHECK_FALSE(is_absolute_uri(text));
}

TEST_CASE("a very long reference takes little time") {
    std::string dots;
    for (int i = 0; i < 300'000; ++i) dots += "a/../";
    CHECK(resolve_reference("http://a/b/c", dots + "d") == "http://a/b/d");
}
