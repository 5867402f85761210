#include "protocol/feed/xml/xml_ancestors.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

using namespace sluice::feed;

namespace {

// The elements in braces are known; all or some of them are requested. Returns "name name|" for the ancestors of each.
std::string ancestors(std::string text, std::vector<std::size_t> wanted = {}) {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    std::vector<std::size_t> open;
    for (std::size_t i; (i = text.find_first_of("{}")) != std::string::npos;) {
        if (text[i] == '{') {
            open.push_back(ranges.size());
            ranges.emplace_back(i, 0);
        } else {
            ranges[open.back()].second = i;
            open.pop_back();
        }
        text.erase(i, 1);
    }
    std::vector<std::string_view> elements;
    for (const auto& [begin, end] : ranges) elements.push_back(std::string_view(text).substr(begin, end - begin));
    if (wanted.empty()) {
        wanted.resize(elements.size());
        std::iota(wanted.begin(), wanted.end(), std::size_t{0});
    }
    std::string names;
    std::size_t calls = 0;
    visit_ancestors(text, elements, wanted, [&](const XmlSurroundings& around, std::size_t i) {
        CHECK(i == calls++);
        for (const XmlAncestor& ancestor : around.ancestors) {
            CHECK(ancestor.tag.starts_with("<" + std::string(ancestor.name)));
            names += std::string(ancestor.name) + ' ';
        }
        names += std::string(around.doctype) + '|';
    });
    CHECK(calls == wanted.size());
    return names;
}

}  // namespace

TEST_CASE("the ancestors of elements") {
    CHECK(ancestors("{<a/>}") == "|");
    CHECK(ancestors("\xEF\xBB\xBF <?xml version='1.0'?>\n{<a></a>}\n") == "|");
    CHECK(ancestors("<a>{<b/>}</a>") == "a |");
    CHECK(ancestors("<a x='/>'>{<b/>}{<b></b>}<c/>{<d>x</d>}</a>") == "a |a |a |");
    CHECK(ancestors("<a><b><c/></b><b>{<d/>}</b></a>") == "a b |");
    CHECK(ancestors("<p:a\tx = ''\n>{<b/\n>}</p:a\n>") == "p:a |");
    CHECK(ancestors("<\u00e4:b>{<c/>}</\u00e4:b>") == "\u00e4:b |");
    CHECK(ancestors("{<a>{<b>{<c/>}</b>}<d/>{<e/>}</a>}") == "|a |a b |a |");
    CHECK(ancestors("<a><!-- <b> --><?c <d>?><x y=\"'>\" z='\">'>{<e/>}</x></a>") == "a x |");
    CHECK(ancestors("<a><b><![CDATA[</b></a>]]>{<c/>}</b></a>") == "a b |");
    CHECK(ancestors("<!DOCTYPE a>{<a/>}") == "|");
    CHECK(ancestors("<!DOCTYPE a [<!ENTITY e '>'>]><a>{<b/>}</a>") == "a <!DOCTYPE a [<!ENTITY e '>'>]>|");
}

TEST_CASE("the ancestors of some elements") {
    CHECK(ancestors("<a>{<b/>}{<c/>}<d>{<e/>}</d></a>", {2}) == "a d |");
    CHECK(ancestors("<a>{<b/>}<d>{<c/>}</d>{<e/>}</a>", {0, 2}) == "a |a |");
    CHECK(ancestors("<x>{<a>{<b>{<c/>}</b>}{<d/>}</a>}{<e>{<f/>}</e>}</x>", {2, 5}) == "x a b |x e |");
    CHECK(ancestors("<x>{<a>{<b>{<c/>}</b>}{<d/>}</a>}{<e>{<f/>}</e>}</x>", {0, 3}) == "x |x a |");
    CHECK(ancestors("<x>{<a>{<b>{<c/>}</b>}{<d/>}</a>}{<e>{<f/>}</e>}</x>", {4}) == "x |");
    // The content of the others is not read.
    CHECK(ancestors("<a>{<b></b></b></b>}{<c/>}</a>", {1}) == "a |");
    CHECK(ancestors("<a>{<b></b></b></b>}{<c></a></a>}{<d/>}</a>", {0, 2}) == "a |a |");
}
