// Filters that may take long, on documents for which they do: each ends at its budget of steps, its subscriber is told,
// and everybody else gets the event.
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "broker/core/counters.hpp"
#include "broker/server/api/services.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

using sluice::broker::HttpClient;
using sluice::broker::percent_encode;
using sluice::broker::RunningBroker;
using sluice::broker::subscribe;
namespace json = boost::json;

namespace {

std::string times(const std::string& text, std::size_t n) {
    std::string all;
    for (; n > 0; --n) all += text;
    return all;
}

// A first item with this content, and a second one so long that the document gets the whole budget.
std::string document(const std::string& content) {
    return "<r><item>" + content + "</item><item><filler>" + std::string(200'000, 'z') + "</filler></item></r>";
}

}  // namespace

TEST_CASE("a filter that takes long is told of a gap, and the event reaches everybody else") {
    const std::string letters = times("<a>xxxxxxx</a>", 9'000), empty = times("<a/>", 3'000);
    const std::string pairs = times("<a>x</a><b>y</b>", 4'900), one = "<a>x</a>";
    const auto [what, costly, content] = GENERATE_COPY(table<std::string, std::string, std::string>({
        {"the root's text for each node", "boolean(//a[string-length(/) = string-length(.)])", letters},
        {"a chain of siblings", "boolean(a" + times("/following-sibling::a", 90) + "[. = 'q'])", empty},
        {"two steps of siblings", "boolean(a/following-sibling::a/following-sibling::a[. = 'q'])", empty},
        {"two sets of nodes", "a = b", pairs},
        {"two sets of numbers", "a < b", pairs},
        {"a long table", "translate(../item[2], '" + times("abcdefgh", 100) + "', '') = 'x'", one},
        {"texts in texts", "boolean(//*[string-length(.) = 7])", times("<a>", 200) + letters + times("</a>", 200)},
        {"the parent's text", "contains(../., 'qq') and ../item", one},
        {"all siblings' children", "../item/a = 'q'", letters},
        {"the parent's text in another case", "lower-case(..) = 'q'", one},
        {"paths that reach an element in many ways", "*/*/*/*/*/a = 'q'", times("<a>", 5) + letters + times("</a>", 5)},
    }));
    INFO(what);
    // What is read of one event together may take ten times as many steps.
    RunningBroker running({"limits.condition_steps=20000", "limits.document_steps=200000"});
    HttpClient greedy(running.port()), modest(running.port()), decided(running.port()), publisher(running.port());
    subscribe(greedy, "?filter=" + percent_encode(costly));
    subscribe(modest, "?filter=" + percent_encode("not(filler)"));
    subscribe(decided, "?filter=" + percent_encode("(" + costly + ") and other") +
                           "&filter=" + percent_encode("(" + costly + ") or not(filler)"));
    REQUIRE(
        publisher.post("/v1/events?deduplicate=false", document(content), "Content-Type: application/xml\r\n").status ==
        202);
    const auto next = [](HttpClient& client) {
        std::string read = client.read_event().value();
        while (read.starts_with(":")) read = client.read_event().value();
        return read;
    };
    const std::string told = next(greedy);
    INFO(told.substr(0, 300));
    REQUIRE(told.starts_with("event: gap\n"));
    const json::value gap = json::parse(told.substr(told.find('{')));
    CHECK(gap.at("reason") == "over-budget");
    CHECK(gap.at("first_id") == 1);
    CHECK(gap.at("last_id").to_number<int>() <= 2);
    CHECK(next(modest).starts_with("id: 1\n"));
    // Conditions that decide leave no gap, of the event at least that the greedy one has been told of.
    const std::string right = next(decided);
    CHECK(right.starts_with("id: 1\n"));
    CHECK(right.find("\"filters\":[1]") != std::string::npos);
}
