// Whatever has been repaired is well-formed, to expat and to our scanner; what was well-formed is not touched.
#include <catch2/catch.hpp>

#include "protocol/feed/repair/xml_repair.hpp"
#include "protocol/feed/xml/xml_scanner.hpp"
#include "protocol/text/utf8.hpp"
#include "tests/support/rounds.hpp"
#include "tests/unit/protocol/feed/damaged_text.hpp"
#include "tests/unit/protocol/feed/expat_tree.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

const char* const bases[] = {
    R"(<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>T &amp; t</title>
<item><title>One</title><link>http://a.example/?a=1&amp;b=2</link><dc:creator>Ann</dc:creator>
<description><p>text<br/><b>bold</b> <a href="x" title='y'>link</a></p></description></item>
<item id="2"><title><![CDATA[Two & <b>]]></title><!-- note --><guid isPermaLink="false">2</guid></item>
</channel></rss>)",
    R"(<feed xmlns="http://www.w3.org/2005/Atom" xmlns:m='urn:m'><id>f</id><entry m:a="1"><id>1</id>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><ul><li>a</li><li>b</li></ul><hr/></div></content>
</entry><entry><id>2</id><m:x xmlns:m="urn:n">&#65;</m:x></entry></feed>)",
    R"(<readings><?pi data?><reading at="2026"><hr>72</hr><t>20.5</t></reading><reading><hr>73</hr></reading></readings>)",
    R"(<a><b c='1' d="2" e='3'>x<c/>y</b><img src="i"></img><p>1</p><p>2</p></a>)",
};

struct Counts {
    std::size_t strict = 0, repaired = 0, refused = 0;
};

void check(const std::string& text, Counts& counts) {
    INFO(text);
    const bool is_well_formed = scan_xml(text, FeedLimits()).has_value();
    Repairs repairs;
    const auto repaired = repair_xml(text, FeedLimits(), true, repairs);
    if (is_well_formed) {
        ++counts.strict;
        REQUIRE(repaired.has_value());
        return;
    }
    if (!repaired) {
        ++counts.refused;
        return;
    }
    ++counts.repaired;
    INFO("repaired: " << repaired->text);
    CHECK_FALSE(repairs.empty());
    const auto scanned = scan_xml(repaired->text, FeedLimits());
    if (!scanned) INFO("ours: " << scanned.error().message);
    CHECK(scanned.has_value());
    const ExpatVerdict verdict = expat_tree(without_html_entities(repaired->text));
    INFO("expat's: " << verdict.error);
    CHECK(verdict.tree.has_value());
    for (const std::size_t place : repaired->torn) {
        CHECK(repaired->text[place] == '<');
        CHECK(text[repaired->source_of(place)] == '<');
    }
    Repairs more;
    const auto again = repair_xml(repaired->text, FeedLimits(), true, more);
    CHECK((again && again->text == repaired->text && more.empty()));
}

}  // namespace

TEST_CASE("what is repaired is well-formed to expat, whatever the damage") {
    Mutator mutator(20261123);
    Counts counts;
    const std::size_t rounds = sluice::testing::fewer_if_sanitized(60'000);
    for (std::size_t i = 0; i < rounds; ++i) {
        std::string text = bases[mutator.below(std::size(bases))];
        for (std::size_t faults = mutator.below(6) + 1; faults > 0; --faults) mutator.mutate(text);
        if (mutator.below(8) == 0) text.resize(mutator.below(text.size() + 1));
        if (!text::find_bad_text(text)) check(text, counts);
    }
    CHECK(counts.strict > rounds / 60);
    CHECK(counts.repaired > rounds / 3);
    CHECK(counts.refused < rounds / 6);
}
