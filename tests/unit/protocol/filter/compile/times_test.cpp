// Dates as constants in comparisons with times.
#include "protocol/filter/compile/times.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

std::string canonical(const char* text) {
    const auto filter = compile_filter(text);
    if (!filter) FAIL(text << "\n" << filter.error().message);
    return filter->canonical;
}

}  // namespace

TEST_CASE("a date that a time is compared with is that time") {
    // The numbers are those of date -u -d DATE +%s.
    const std::pair<const char*, const char*> cases[] = {
        {"$published > '2024-01-01'", "$published > 1704067200"},
        {"$published > \"2024-01-01T10:00:00Z\"", "$published > 1704103200"},
        {"$published > '2024-01-01T10:00:00+02:00'", "$published > 1704096000"},
        {"$published > '2024-01-01T10:00:00.5Z'", "$published > 1704103200.5"},
        {"'2024-01-01' <= $updated", "$updated >= 1704067200"},
        {"$updated = '2024-01-01'", "$updated = 1704067200"},
        {"$updated != '2024-01-01'", "$updated != 1704067200"},
        {"$published < 'Mon, 01 Jan 2024 00:00:00 GMT'", "$published < 1704067200"},
        {"$published < '2024'", "$published < 1704067200"},
        {"$published < '1704067200'", "$published < 1704067200"},
        {"date(pubDate) > '2024-01-01'", "date(pubDate) > 1704067200"},
        {"$published[1] > '2024-01-01'", "$published[1] > 1704067200"},
        {"$published[. > '2024-01-01']", "$published[. > 1704067200]"},
        {"$published[number(.) > '2024-01-01']", "$published[number(.) > 1704067200]"},
        {"$published + 3600 > '2024-01-01'", "$published + 3600 > 1704067200"},
        {"//item[$published > '2024-01-01']", "//item[$published > 1704067200]"},
        {"$published > concat('2024', '-01-01')", "$published > 1704067200"},
        {"$published = concat('2024', '-01-01')", "$published = 1704067200"},
        {"$published - (1 + 2) = '2024-01-01'", "$published - 3 = 1704067200"},
        {"5 + $published = '2024-01-01'", "$published + 5 = 1704067200"},
        {"5 + number(string($published)) = '2024-01-01'", "$published + 5 = 1704067200"},
        {"$published[./. > '2024-01-01']", "$published[. > 1704067200]"},
        {"$published[number(string(.)) = '2024-01-01']", "$published[number(.) = 1704067200]"},
        {"not($published > '2024-01-01')", "not($published > 1704067200)"},
        {"number($published) > '2024-01-01'", "string($published) > 1704067200"},
    };
    for (const auto& [text, expected] : cases) {
        CHECK(canonical(text) == expected);
        CHECK(canonical(expected) == expected);
    }
}

TEST_CASE("a date beside anything else is text") {
    for (const char* text : {"title = '2024-01-01'", "$title = '2024-01-01'", "contains($title, '2024-01-01')",
                             "$title[. = '2024-01-01']"})
        CHECK(canonical(text) == text);
    CHECK(canonical("price > '5'") == "price > 5");
    CHECK(canonical("$published = 'yesterday'") == "$published = 'yesterday'");
    CHECK(canonical("$updated - $published > '2024-01-01'") == "false()");
}
