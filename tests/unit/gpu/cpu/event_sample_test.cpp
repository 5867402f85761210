#include "gpu/cpu/segment/event_sample.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice;
using namespace sluice::cpu;

TEST_CASE("event sample: keeps the values, cuts what is long") {
    const std::string text(5000, 'x');
    const std::vector<engine::Value> original = {{1, "a", 1}, {1, "", 2}, {7, text, 3}};
    std::vector<engine::Value> values;
    const SampledEvent event(original, 9);
    event.values(values);
    CHECK(event.attributes() == 9);
    REQUIRE(values.size() == 3);
    CHECK(values[0].text == "a");
    CHECK(values[1].text.empty());
    CHECK(values[1].number == 2);
    CHECK(values[2].attribute == 7);
    CHECK(values[2].text == std::string(512, 'x'));
    const SampledEvent large(std::vector<engine::Value>(1000, {0, text, 0}), 1);
    large.values(values);
    CHECK(values.size() == 256);
    CHECK(values.back().text.empty());
}

TEST_CASE("event sample: values that events share are kept as far as there is room") {
    const std::vector<engine::Value> group(1000, {0, "a", 1});
    engine::EventBatch batch;
    batch.groups = {{1, group}, {2, std::span(group).first(3)}};
    for (const std::vector<std::uint32_t>& shares : {std::vector<std::uint32_t>{}, {0, 1}, {1}}) {
        batch.values.push_back({7, "own", 2});
        batch.shares.insert(batch.shares.end(), shares.begin(), shares.end());
        batch.end_event();
    }
    std::vector<engine::Value> values;
    for (const auto& [event, count] : {std::pair(0u, 1u), std::pair(1u, 256u), std::pair(2u, 4u)}) {
        const SampledEvent sampled(batch, event, 8);
        sampled.values(values);
        REQUIRE(values.size() == count);
        CHECK(values.front().text == "own");
        CHECK(values.back().attribute == (event == 0 ? 7 : 0));
    }
}

TEST_CASE("event sample: one event of so many, however they are batched, and new ones replace old ones") {
    EventSample sample;
    const auto observe = [&](std::size_t events, std::size_t batch_size, const char* text) {
        engine::EventBatch batch;
        for (std::size_t e = 0; e < events; ++e) {
            batch.values.push_back({0, text, 0});
            batch.end_event();
            if (batch.size() < batch_size && e + 1 < events) continue;
            sample.observe(batch, 1);
            batch.clear();
        }
    };
    const auto count = [&](const char* text) {
        std::size_t n = 0;
        std::vector<engine::Value> values;
        for (const SampledEvent& event : sample.events()) {
            event.values(values);
            n += values.front().text == text ? 1u : 0u;
        }
        return n;
    };
    observe(EventSample::step * 100, 1, "old");
    CHECK(sample.recorded() == 100);
    observe(EventSample::step * 1900, 1000, "old");
    CHECK(sample.recorded() == 2000);
    CHECK(count("old") == EventSample::events_max);
    observe(EventSample::step * 400, 100, "new");
    CHECK(count("new") > 200);
    CHECK(count("old") > 150);
    observe(EventSample::step * 8000, 64, "new");
    CHECK(count("old") == 0);
}
