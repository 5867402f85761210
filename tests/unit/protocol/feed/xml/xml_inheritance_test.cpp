#include "protocol/feed/xml/xml_inheritance.hpp"

#include <catch2/catch.hpp>

#include "tests/support/tree_document.hpp"

using namespace sluice::feed;

namespace {

struct Inherited {
    std::string base, lang;
};

// What holds for the element x.
Inherited inherited(const std::string& text) {
    const sluice::TreeDocument document(text, "//x");
    const TreeNode element = document.items()[0].element;
    return {xml_base_at(element, "").value_or("too many"), std::string(xml_lang_at(element))};
}

}  // namespace

TEST_CASE("xml:base: the nearest, resolved against outer ones") {
    CHECK(inherited("<a><x/></a>").base == "");
    CHECK(inherited("<a xml:base='http://a/b/'><x/></a>").base == "http://a/b/");
    CHECK(inherited("<a xml:base='http://a/b/'><b xml:base='c/'><x xml:base=' d '/></b></a>").base == "http://a/b/c/d");
    CHECK(inherited("<a xml:base='http://a/'><x xml:base='http://b/'/></a>").base == "http://b/");
    CHECK(inherited("<a xml:base='b/'><x/></a>").base == "b/");
    CHECK(inherited("<a xml:base='http://a/'><x xml:base='" + std::string(base_bytes_max, 'b') + "'/></a>").base ==
          "too many");
    CHECK(inherited("<a xml:base='http://a/'><x xml:base='" + std::string(base_bytes_max + 1, 'b') + "'/></a>").base ==
          "http://a/");
}

TEST_CASE("xml:lang: the nearest") {
    CHECK(inherited("<a><x/></a>").lang == "");
    CHECK(inherited("<a xml:lang='en'><b><x/></b></a>").lang == "en");
    CHECK(inherited("<a xml:lang='en'><x xml:lang='de'/></a>").lang == "de");
    CHECK(inherited("<a xml:lang='en'><x xml:lang='" + std::string(lang_bytes_max + 1, 'd') + "'/></a>").lang == "en");
}
