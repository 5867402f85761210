// The load program's expected receivers match the filters: checked with the naive matcher on the documents that it
// sends.
#include "tests/bench/load/workload.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "gpu/api/matcher.hpp"
#include "protocol/feed/parse.hpp"
#include "protocol/feed/values/extractor.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/source_folder.hpp"

using namespace sluice;

namespace {

// Returns the number of deliveries of all items together.
std::size_t check_receivers(const load::WorkloadOptions& options, std::uint64_t items, engine::Backend backend) {
    INFO(options.kind);
    const auto made = load::make_workload(options);
    load::Workload& workload = *made;
    const std::size_t connections = options.connections;
    const auto set = engine::make_subscription_set(backend);
    std::map<std::uint32_t, std::size_t> connection_of;  // by slot
    for (std::size_t c = 0; c < connections; ++c) {
        CHECK(workload.filters(c).size() == options.filters / connections);
        for (const auto& text : workload.filters(c)) {
            const auto filter = filter::compile_filter(text);
            REQUIRE(filter.has_value());
            CHECK(filter->hints.empty());
            connection_of[set->add(filter->disjunction).slot] = c;
        }
    }
    const auto program = set->compile();
    const feed::Extractor extractor(program->attributes()->names);
    std::size_t received = 0;
    for (std::uint64_t i = 1; i <= items; ++i) {
        std::string text(load::document_begin);
        const auto expected = workload.append_item(i, text);
        text += load::document_end;
        const auto document = feed::parse_document(text, {});
        REQUIRE(document.has_value());
        REQUIRE((*document)->items().size() == 1);
        engine::EventBatch batch;
        feed::TextArena arena;
        feed::ValueGroups groups;
        extractor.extract({*document, 0, std::make_shared<const std::string>("s"), i}, batch, arena, groups);
        std::vector<engine::Match> matches;
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
    CHECK(check_receivers({"mixed", 2'000, 20, 42, {}}, 400, engine::Backend::naive) > 40);
    CHECK(check_receivers({"approximate", 200, 20, 42, {}}, 50, engine::Backend::naive) > 5);
    CHECK(check_receivers({"matches", 200, 20, 42, {}}, 100, engine::Backend::naive) > 20);
    CHECK(check_receivers({"align", 20, 20, 42, {}}, 40, engine::Backend::cpu) > 2);
    CHECK(check_receivers({"W1", 2'000, 20, 42, {}}, 40, engine::Backend::naive) > 20);
    CHECK(check_receivers({"W2", 10'000, 20, 42, {}}, 100, engine::Backend::cpu) > 2);
    CHECK(check_receivers({"contains", 200, 20, 42, {}}, 20, engine::Backend::naive) > 20);
    CHECK(check_receivers({"laminarity", 100, 20, 42, {}}, 2, engine::Backend::cpu) > 2);
}

TEST_CASE("titles of real feeds") {
    const std::string feeds = testing::shared_folder("feeds").string();
    if (!std::filesystem::is_directory(feeds)) {
        sluice::testing::skip("there is no folder ../shared/feeds");
        return;
    }
    CHECK(check_receivers({"approximate", 500, 20, 42, feeds}, 200, engine::Backend::cpu) > 20);
    CHECK(check_receivers({"matches", 500, 20, 42, feeds}, 200, engine::Backend::cpu) > 50);
}

TEST_CASE("an unknown workload is refused") {
    CHECK_THROWS_WITH(load::make_workload({"nonsense", 10, 1, 1, {}}), "there is no workload nonsense");
    CHECK_THROWS(load::make_workload({"W6", 10, 1, 1, {}}));
    CHECK_THROWS(load::make_workload({"W9", 10, 1, 1, {}}));
    CHECK_THROWS(load::make_workload({"approximate", 10, 1, 1, (testing::source_folder() / "config").string()}));
}
