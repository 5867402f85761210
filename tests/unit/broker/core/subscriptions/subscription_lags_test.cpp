#include "broker/core/subscriptions/subscription_lags.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/store/memory_log.hpp"
#include "broker/store/wall_clock.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

using Patterns = std::vector<std::string>;

struct Fixture {
    base::MemoryBudget memory{10'000'000};
    feed::RecordTime now = 0;
    store::MemoryLog log{10'000'000, memory, [this] { return now; }};
    StreamCounters counters;
    Streams streams{{100, 100, std::chrono::hours(1)}, log, memory, counters};

    Fixture() { now = store::wall_time() - age.count(); }

    std::uint64_t append(const std::string& stream) {
        REQUIRE(streams.find_or_create(stream, nullptr).has_value());
        auto document = std::make_shared<feed::DocumentRecord>();
        document->text = std::make_shared<const std::string>("x");
        const auto done = log.append(
            store::AttemptId{},
            {{std::make_shared<const std::string>(stream), document, std::vector<feed::EventHead>(1), {}}}, nullptr);
        return done.value().first_ids.front();
    }

    // In ids, once the events that it finds have been compared with the lag.
    std::uint64_t lag(const Patterns& patterns, std::uint64_t position) {
        SubscriptionLags lags(log, streams);
        const text::StreamSelection selection(patterns);
        const std::uint64_t events = lags.events(selection, position);
        CHECK(lags.events(selection, position) == events);
        CHECK(lags.first_event(selection, position).has_value() == (events != 0));
        const SubscriptionLag both = lags.of(selection, position);
        CHECK(both.events == events);
        if (events == 0) CHECK(both.age.count() == 0);
        if (events != 0) CHECK(both.age >= age);
        return events;
    }

    std::uint64_t first(const Patterns& patterns, std::uint64_t position) {
        const auto event = SubscriptionLags(log, streams).first_event(text::StreamSelection(patterns), position);
        return event ? event->id : 0;
    }

    static constexpr std::chrono::microseconds age = std::chrono::hours(1);  // of all events
};

}  // namespace

TEST_CASE_METHOD(Fixture, "SubscriptionLags: nothing of its streams after the position → no lag") {
    CHECK(lag({"*"}, 0) == 0);
    append("a");
    append("news.de");
    append("b");
    CHECK(lag({"a"}, 0) == 3);
    CHECK(lag({"a"}, 1) == 0);
    CHECK(lag({"none"}, 0) == 0);
    CHECK(lag({"news.*"}, 1) == 2);
    CHECK(lag({"news.*"}, 2) == 0);
    CHECK(lag({"news.*", "b"}, 2) == 1);
    CHECK(lag({"*"}, 2) == 1);
    CHECK(lag({"*"}, 3) == 0);
    CHECK(lag({"*"}, 9) == 0);  // what has come since the lags were made
}

TEST_CASE_METHOD(Fixture, "SubscriptionLags: events that retention drops → the first one is the oldest that is left") {
    for (int i = 0; i < 5; ++i) append("a");
    SubscriptionLags before(log, streams);
    const auto event = before.first_event(text::StreamSelection(Patterns{"a"}), 1);
    REQUIRE(event);
    CHECK(event->id == 2);
    CHECK(event->stream == "a");
    CHECK(before.is_retained(*event));
    log.retain("a", {.events = 2});
    CHECK(first({"a"}, 1) == 4);
    CHECK_FALSE(SubscriptionLags(log, streams).is_retained(*event));
    CHECK(lag({"a"}, 1) == 4);
    streams.erase("a");
    CHECK(lag({"a"}, 1) == 0);
    CHECK_FALSE(SubscriptionLags(log, streams).is_retained(*event));
}

TEST_CASE_METHOD(Fixture, "SubscriptionLags: any streams and positions → as if all events had been looked at") {
    std::mt19937 random(5);
    const Patterns names{"a", "b", "n.x", "n.y", "n.y.z", "nn"};
    const std::vector<Patterns> selections{{"a"}, {"a", "b"}, {"n.*"}, {"n.y.*", "a"}, {"*"}, {"n"}, {"n.*", "nn"}};
    std::vector<std::string> events;
    for (int i = 0; i < 40; ++i) {
        events.push_back(names[random() % names.size()]);
        append(events.back());
        for (const Patterns& patterns : selections) {
            const text::StreamSelection selection(patterns);
            const std::uint64_t position = random() % (events.size() + 1);
            std::uint64_t wanted = 0;
            for (std::uint64_t id = events.size(); id > position; --id)
                if (selection.matches(events[id - 1])) wanted = id;
            CHECK(first(patterns, position) == wanted);
            CHECK(lag(patterns, position) == (wanted == 0 ? 0 : events.size() - position));
        }
    }
}
