// What the load program expects is what the filters say: checked with the naive matcher on the documents that it sends.
#include "tests/bench/load/workload.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "gpu/matcher.hpp"
#include "protocol/feed/extractor.hpp"
#include "protocol/filter/filter.hpp"

using namespace sluice;

TEST_CASE("an item's receivers are those whose filters hold") {
    constexpr std::size_t connections = 20, filters = 2'000, items = 400;
    load::Workload workload(filters, connections, 42);
    const auto set = make_subscription_set(Backend::naive);
    std::map<std::uint32_t, std::size_t> connection_of;  // by slot
    for (std::size_t c = 0; c < connections; ++c) {
        CHECK(workload.filters(c).size() == filters / connections);
        for (const auto& text : workload.filters(c)) {
            const auto filter = compile_filter(text);
            REQUIRE(filter.has_value());
            connection_of[set->add(filter->conjunctions).slot] = c;
        }
    }
    const auto program = set->compile();
    const Extractor extractor(program->attributes()->names);
    std::size_t received = 0;
    for (std::uint64_t i = 1; i <= items; ++i) {
        std::string text;
        const auto expected = workload.make_item(i, text);
        const auto document = parse_document(text, {});
        REQUIRE(document.has_value());
        REQUIRE((*document)->items().size() == 1);
        EventBatch batch;
        TextArena arena;
        extractor.extract({*document, 0, std::make_shared<const std::string>("s"), i}, batch, arena);
        std::vector<Match> matches;
        program->match(batch, matches);
        std::set<std::size_t> receivers;
        for (const auto& match : matches) receivers.insert(connection_of.at(match.subscription.slot));
        CHECK(load::Receivers(receivers.begin(), receivers.end()) == expected);
        received += receivers.size();
    }
    CHECK(received > items / 10);
}
