#include "protocol/text/uri_reference.hpp"

#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <utility>

using sluice::text::comparable_uri;
using sluice::text::is_absolute_uri;
using sluice::text::is_comparable_address;
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

TEST_CASE("comparable_uri: equivalent URIs have one form") {
    const std::pair<const char*, const char*> cases[] = {
        {"http://a/", "http://a/"},
        {"http://a", "http://a/"},
        {"http://a?q", "http://a/?q"},
        {"http://a#f", "http://a/#f"},
        {"HTTP://A.Example/B?C#D", "http://a.example/B?C#D"},
        {"eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"},  // RFC 3986 §6.2.2
        {"http://a:80/", "http://a/"},
        {"http://a:/", "http://a/"},
        {"https://a:443/", "https://a/"},
        {"https://a:80/", "https://a:80/"},
        {"http://a:443/", "http://a:443/"},
        {"http://[::1]:80/", "http://[::1]/"},
        {"http://[FE80::A]/", "http://[fe80::a]/"},
        {"http://User:Pass@Host/", "http://User:Pass@host/"},
        {"http://u@h:80/", "http://u@h/"},
        {"http://a/%c3%bc", "http://a/%C3%BC"},
        {"http://a/\u00FC", "http://a/%C3%BC"},
        {"http://a/?\u00FC#\u00FC", "http://a/?%C3%BC#%C3%BC"},
        {"http://a/%41%2d%2E%5f%7E", "http://a/A-._~"},
        {"http://a/%2f%3f%23", "http://a/%2F%3F%23"},
        {"http://a/b c|d", "http://a/b%20c%7Cd"},
        {"http://a/b%20c%7cd", "http://a/b%20c%7Cd"},
        {"http://a/%", "http://a/%"},
        {"http://a/%4", "http://a/%4"},
        {"http://a/%zz%g1", "http://a/%zz%g1"},
        {"http://a/%25", "http://a/%25"},
        {"http://a/%2525", "http://a/%2525"},
        {"http://a/b/../../c", "http://a/c"},
        {"http://a/b/.", "http://a/b/"},
        {"http://a/b/..", "http://a/"},
        {"http://a/%2e%2E/b", "http://a/b"},
        {"http://a//b", "http://a//b"},
        {"http://a/b/", "http://a/b/"},
        {"http://a/?", "http://a/?"},
        {"http://a/#", "http://a/#"},
        {"http://%41/", "http://a/"},
        {"http://\u00FC.example/", "http://%C3%BC.example/"},
        {"ftp://A:21", "ftp://a:21"},
        {"file:///A", "file:///A"},
        {"urn:ISBN:Aa%2f", "urn:isbn:Aa%2F"},
        {"URN:a", "urn:a"},
        {"mailto:A@B", "mailto:A@B"},
        {"http:", "http:/"},
        {"http://", "http:///"},
        {"http://@:80", "http://@/"},
        {"", ""},
        {"a", "a"},
        {"//A/b", "//a/b"},
    };
    for (const auto& [uri, expected] : cases) {
        CAPTURE(uri);
        CHECK(comparable_uri(uri) == expected);
        CHECK(comparable_uri(comparable_uri(uri)) == expected);
        if (is_comparable_address(uri)) CHECK(uri == expected);
    }
}

TEST_CASE("is_comparable_address: only addresses that comparable_uri leaves as they are, most of those among them") {
    for (const char* uri :
         {"http://a/", "https://www.a-b.example/2026/03/some_thing~x.html?p=1&q=(2)#f", "http://a//b"})
        CHECK(is_comparable_address(uri));
    for (const char* uri :
         {"", "a", "http://", "http:///", "http://a", "http://A/", "HTTP://a/", "ftp://a/", "http://a:80/",
          "http://u@a/", "http://a/b/../c", "http://a/%41", "http://a/ b", "http://a/\u00FC", "urn:a"})
        CHECK_FALSE(is_comparable_address(uri));
    const std::string_view parts[] = {"http://", "https://", "Http://", "/",  "a", "Z",    "9",      ".", "..", "-",
                                      "_",       "~",        ":",       "?",  "#", "%",    "%41",    "@", "[",  "]",
                                      "=",       "&",        " ",       "\\", "|", "\x7f", "\u00FC", ";", "+",  "\n"};
    std::mt19937 random(7);
    std::size_t comparable = 0;
    for (int i = 0; i < 100'000; ++i) {
        std::string uri(parts[random() % 8 == 0 ? random() % std::size(parts) : random() % 2]);
        const bool is_plain = random() % 2 == 0;
        for (std::size_t n = random() % 9; n > 0; --n)
            uri += parts[is_plain ? 3 + random() % 9 : random() % std::size(parts)];
        if (!is_comparable_address(uri)) continue;
        ++comparable;
        if (comparable_uri(uri) != uri) FAIL(uri);
    }
    CHECK(comparable > 1'000);
}
