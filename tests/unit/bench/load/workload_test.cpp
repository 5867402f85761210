// What the load program expects is what the filters say: checked with the naive matcher on the documents that it sends.
#include "tests/bench/load/workload.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "gpu/matcher.hpp"
#include "protocol/feed/extractor.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/source_folder.hpp"

using namespace sluice;

namespace {

// Returns how many connections receive an item, all items together.
std::size_t check_receivers(const load::WorkloadOptions& options, std::uint64_t items, Backend backend) {
    INFO(options.kind);
    const auto made = load::make_workload(options);
    load::Workload& workload = *made;
    const std::size_t connections = options.connections;
    const auto set = make_subscription_set(backend);
    std::map<std::uint32_t, std::size_t> connection_of;  // by slot
    for (std::size_t c = 0; c < connections; ++c) {
        CHECK(workload.filters(c).size() == options.filters / connections);
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
    return received;
}

}  // namespace

TEST_CASE("an item's receivers are those whose filters hold") {
    CHECK(check_receivers({"mixed", 2'000, 20, 42, {}}, 400, Backend::naive) > 40);
    CHECK(check_receivers({"approximate", 200, 20, 42, {}}, 50, Backend::naive) > 5);
    CHECK(check_receivers({"matches", 200, 20, 42, {}}, 100, Backend::naive) > 20);
    CHECK(check_receivers({"align", 20, 20, 42, {}}, 40, Backend::cpu) > 2);
    CHECK(check_receivers({"W1", 2'000, 20, 42, {}}, 40, Backend::naive) > 20);
    CHECK(check_receivers({"W2", 10'000, 20, 42, {}}, 100, Backend::cpu) > 2);
    CHECK(check_receivers({"laminarity", 100, 20, 42, {}}, 2, Backend::cpu) > 2);
}

TEST_CASE("titles of real feeds") {
    const std::string feeds = testing::shared_folder("feeds").string();
    if (!std::filesystem::is_directory(feeds)) {
        WARN("skipped: there is no folder ../shared/feeds");
        return;
    }
    CHECK(check_receivers({"approximate", 500, 20, 42, feeds}, 200, Backend::cpu) > 20);
    CHECK(check_receivers({"matches", 500, 20, 42, feeds}, 200, Backend::cpu) > 50);
}

TEST_CASE("a workload that there is not is refused") {
    CHECK_THROWS_WITH(load::make_workload({"nonsense", 10, 1, 1, {}}), "there is no workload nonsense");
    CHECK_THROWS(load::make_workload({"W6", 10, 1, 1, {}}));
    CHECK_THROWS(load::make_workload({"W9", 10, 1, 1, {}}));
    CHECK_THROWS(load::make_workload({"approximate", 10, 1, 1, (testing::source_folder() / "config").string()}));
}
