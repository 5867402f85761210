#include "gpu/cpu/event_sample.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice;

TEST_CASE("event sample: keeps the values, cuts what is long") {
    const std::string text(5000, 'x');
    const std::vector<Value> original = {{1, "a", 1}, {1, "", 2}, {7, text, 3}};
    std::vector<Value> values;
    const SampledEvent event(original, 9);
    event.values(values);
    CHECK(event.attributes() == 9);
    REQUIRE(values.size() == 3);
    CHECK(values[0].text == "a");
    CHECK(values[1].text.empty());
    CHECK(values[1].number == 2);
    CHECK(values[2].attribute == 7);
    CHECK(values[2].text == std::string(512, 'x'));
    const SampledEvent large(std::vector<Value>(1000, {0, text, 0}), 1);
    large.values(values);
    CHECK(values.size() == 256);
    CHECK(values.back().text.empty());
}

TEST_CASE("event sample: one event of so many, however they are batched; new ones replace old ones") {
    EventSample sample;
    const auto observe = [&](std::size_t events, std::size_t batch_size, const char* text) {
        EventBatch batch;
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
        std::vector<Value> values;
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
