#include "protocol/feed/document_memory.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <malloc.h>
#include <string>

#include "protocol/feed/data/document_builder.hpp"
#include "protocol/feed/parse.hpp"
#include "tests/unit/protocol/feed/record_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

std::string repeated(std::size_t n, const std::function<std::string(std::size_t)>& each) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += each(i);
    return text;
}

struct Sample {
    std::string text;
    const char* type = "";
};

// Documents whose trees are large relative to their bytes, and some whose trees are not.
std::vector<Sample> documents() {
    constexpr std::size_t n = 20'000;
    const auto times = [](const char* text) { return repeated(n, [&](std::size_t) { return text; }); };
    return {
        {"<r>" + times("<a/>") + "</r>"},
        {"<r>" + times("<a>b</a>c") + "</r>"},
        {"<r>" + times("<a b=\"c\" d=\"\"/>") + "</r>"},
        {"<r>" + times("<a xmlns=''/>") + "</r>"},
        {"<r>" + times("<a/><![CDATA[]]>") + "</r>"},
        {"<a:feed xmlns:a='http://www.w3.org/2005/Atom'>" + times("<a:b/>") + "</a:feed>"},
        {"<r>" + times("<dc:a dc:b=\"\" dc:c=\"\" dc:d=\"\"/>") + "</r>"},
        {"<rss><channel>" + repeated(5'000, [](std::size_t) { return "<item/>"; }) + "</channel></rss>"},
        {"<r><a>" + std::string(1'000'000, 'x') + "</a></r>"},
        {"{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":[" + times("1,") + "1]}]}"},
        {"{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{" +
         repeated(n, [](std::size_t i) { return "\"" + std::to_string(i) + "\":\"\","; }) + "\"a\":{}}]}"},
        {"[{\"" + std::string(plain_name_bytes, 'k') + "\":[" + times("1e39,") + "1]}]"},
        {"[{\"a\":[" + times("1e308,") + "1]}]"},
        {"[{\"a\":[" + times("-4.9406564584124654E-324,") + "1]}]"},
        {utf16("[{\"a\":[" + times("1e+308,") + "1]}]", true), ""},
        {"[{\"" + std::string(20'000, 'k') + "\":1}]"},
        {times("{}\n"), "application/x-ndjson"},
        {times("{\"a\":1}\n"), "application/x-ndjson"},
        {"[" + times("{\"a\":x},") + "{}]"},
        {times("a\n"), "text/csv"},
        {std::string(100, ',') + "\n" + repeated(200, [](std::size_t) { return std::string(100, ',') + "\n"; }),
         "text/csv"},
        {times(">\n"), "text/x-fasta"},
        {times(">a b\nACGT\n"), "text/x-fasta"},
        {utf16(times(">\n"), false), "text/plain"},
        {utf16("[" + times("{},") + "{}]", true), ""},
        {times("@a b\nA\n+\n!\n"), "text/x-fastq"},
    };
}

FeedLimits wide_limits() {
    FeedLimits limits;
    limits.items_max = limits.item_values_max = 1'000'000;
    return limits;
}

}  // namespace

TEST_CASE("the estimate bounds what a document is measured to take, and the measure its bytes", "[memory]") {
    for (const auto& [text, type] : documents()) {
        CAPTURE(text.substr(0, 40), type);
        const DocumentOptions options{type, "", wide_limits()};
        const std::size_t estimate = document_memory_max(text, options);
        const auto document = parse_document(text, options);
        REQUIRE(document.has_value());
        CHECK((*document)->memory_bytes() <= estimate);
        CHECK((*document)->memory_bytes() >= text.size());
    }
}

TEST_CASE("the estimate bounds what a repaired document takes", "[memory]") {
    constexpr std::size_t n = 20'000;
    for (const char* piece : {"&", "<br>", "<a b=c d/>", "<", "\x80", "<p>x", "</y>", "<!-- -- -->"}) {
        CAPTURE(piece);
        const std::string text = "<r><a/>" + repeated(n, [&](std::size_t) { return piece; }) + "</r>";
        const DocumentOptions strict{"", "", wide_limits(), RepairMode::strict};
        DocumentOptions lenient = strict;
        lenient.repair = RepairMode::lenient;
        const std::size_t estimate = document_memory_max(text, lenient);
        const auto document = parse_document(text, lenient);
        REQUIRE(document.has_value());
        CHECK((*document)->repairs().total() > 0);
        CHECK((*document)->memory_bytes() <= estimate);
        CHECK(document_memory_max(text, strict) < estimate);
    }
}

TEST_CASE("a document is measured as large as the heap has grown", "[memory]") {
    const std::string text = documents()[1].text;
    malloc_trim(0);
    const std::size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    const auto document = parse_document(text, {"", "", wide_limits()}).value();
    const std::size_t grown = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    if (grown == 0) return;  // a sanitizer's heap gives no figures
    CHECK(document->memory_bytes() > grown - grown / 20);
    CHECK(document->memory_bytes() < grown + grown / 20);
}
