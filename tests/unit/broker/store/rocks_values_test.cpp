#include <algorithm>
#include <catch2/catch.hpp>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/unit/broker/store/rocks_fixture.hpp"

using namespace sluice;
using namespace sluice::store;

namespace {

using Values = std::map<std::string, std::string>;
using Texts = std::vector<std::string>;

struct Fixture : RocksFixture {
    Values values() {
        Values all;
        for (NamedValue& each : log->durable_state()->values()) all[each.name] = each.value.value();
        return all;
    }
    std::optional<AppendError> put(std::vector<NamedValue> values) {
        std::promise<std::optional<AppendError>> ended;
        log->durable_state()->put(std::move(values), [&](std::optional<AppendError> error) { ended.set_value(error); });
        return ended.get_future().get();
    }
    static Attempt attempt(std::vector<NamedValue> values) {
        Attempt attempt{AttemptId{}};
        attempt.values = std::move(values);
        return attempt;
    }
};

// Notes what happens, and can stop the log's thread where it says "store.write".
struct Points {
    std::mutex mutex;
    std::vector<std::string> happened;
    std::promise<void>* arrived = nullptr;  // to be told when the thread has stopped
    std::promise<void> go_on;

    void note(std::string what) {
        const std::lock_guard lock(mutex);
        happened.push_back(std::move(what));
    }
    std::vector<std::string> noted() {
        const std::lock_guard lock(mutex);
        return happened;
    }
    void pass(std::string_view point) {
        note(std::string(point));
        if (point != "store.write") return;
        std::promise<void>* waits = nullptr;
        {
            const std::lock_guard lock(mutex);
            std::swap(waits, arrived);
        }
        if (waits == nullptr) return;
        waits->set_value();
        go_on.get_future().wait();
    }
    // Returns when the log's thread is about to write `first`, which it does when go_on says so.
    template <typename First>
    void stop_at(const First& first) {
        std::promise<void> stopped;
        {
            const std::lock_guard lock(mutex);
            arrived = &stopped;
        }
        first();
        stopped.get_future().wait();
    }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "RocksLog: values are kept by name, whatever their bytes, until they are taken away") {
    CHECK(values().empty());
    const std::string strange("\0\xFF v", 4), longest(value_name_max, 'n'), large(300'000, '\x80');
    CHECK_FALSE(put({{"a", "1"}, {"", ""}, {strange, strange}, {longest, large}, {"a", "2"}, {"1234", "four"}}));
    const Values expected{{"a", "2"}, {"", ""}, {strange, strange}, {longest, large}, {"1234", "four"}};
    CHECK(values() == expected);
    log->durable_state()->define("a", "{}");
    append("a", 1);
    CHECK_FALSE(log->durable_state()->sync());
    restart();
    CHECK(values() == expected);
    CHECK(log->durable_state()->streams().size() == 1);
    CHECK_FALSE(put({{longest, std::nullopt}, {"", std::nullopt}, {"none", std::nullopt}, {strange, "5"}}));
    log->clear("a");
    CHECK_FALSE(log->durable_state()->sync());
    restart();
    CHECK(values() == Values{{"a", "2"}, {strange, "5"}, {"1234", "four"}});
    CHECK_FALSE(put({}));
}

TEST_CASE_METHOD(Fixture,
                 "RocksLog: a value for which nobody waits → it is written soon, and at the latest at the end") {
    log->durable_state()->put({{"a", "1"}}, nullptr);
    EVENTUALLY(values() == Values{{"a", "1"}});
    log->durable_state()->put({{"a", "2"}}, nullptr);
    append("a", 1);
    CHECK(values() == Values{{"a", "2"}});
    log->durable_state()->put({{"a", "3"}, {"b", "1"}}, nullptr);
    restart();
    CHECK(values() == Values{{"a", "3"}, {"b", "1"}});
}

TEST_CASE_METHOD(Fixture,
                 "RocksLog: an append's values are written with its events, and what it keeps none of without") {
    CHECK_FALSE(append_all({make("a", 2)}, attempt({{"a", "1"}, {"b", "1"}})).error);
    CHECK(values() == Values{{"a", "1"}, {"b", "1"}});
    CHECK_FALSE(append_all({make("a", 1), make("b", 1)}, attempt({{"a", std::nullopt}, {"b", "2"}})).error);
    restart();
    CHECK(values() == Values{{"b", "2"}});
    CHECK(ids("*") == Ids{1, 2, 3, 4});
}

TEST_CASE("RocksLog: of several values for a name the last one given wins, whoever gave it") {
    Points points;  // outlives the log's thread
    Fixture fixture;
    fixture.settings.at_point = [&](std::string_view point) { points.pass(point); };
    fixture.restart();
    DurableState& state = *fixture.log->durable_state();
    std::vector<std::future<void>> ends;
    const auto end = [&](std::string what) {
        auto ended = std::make_shared<std::promise<void>>();
        ends.push_back(ended->get_future());
        return [&points, what = std::move(what), ended](const auto&) {
            points.note(what);
            ended->set_value();
        };
    };
    const auto append = [&](const char* what, std::size_t bytes, std::vector<NamedValue> values) {
        fixture.log->append(Fixture::attempt(std::move(values)), {Fixture::make("a", 1, bytes)}, end(what));
    };
    points.stop_at([&] { state.put({{"a", "0"}, {"e", "0"}}, end("put 0")); });
    // So large that it is a group of its own, and what comes after it is not in that.
    constexpr std::size_t large = 9'000'000;
    state.put({{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}}, end("put 1"));
    append("append 1", large, {{"a", "2"}, {"b", "2"}});
    state.put({{"a", "3"}}, end("put 2"));
    append("append 2", large, {{"c", "4"}});
    state.put({{"b", "5"}, {"d", std::nullopt}}, nullptr);
    state.put({{"d", "5"}}, end("put 3"));
    const std::size_t before = fixture.budget.used();
    points.go_on.set_value();
    for (std::future<void>& each : ends) each.wait();
    CHECK(fixture.values() == Values{{"a", "3"}, {"b", "5"}, {"c", "4"}, {"d", "5"}, {"e", "0"}});
    EVENTUALLY(points.noted().size() == 15);
    CHECK(points.noted() == Texts{"store.write", "store.written", "put 0", "store.told",              //
                                  "store.write", "store.written", "put 1", "append 1", "store.told",  //
                                  "store.write", "store.written", "put 2", "append 2", "put 3", "store.told"});
    CHECK(fixture.budget.used() < before);
    fixture.restart();
    CHECK(fixture.values() == Values{{"a", "3"}, {"b", "5"}, {"c", "4"}, {"d", "5"}, {"e", "0"}});
}

TEST_CASE("RocksLog: values that wait are charged once for a name, and no longer when they are written") {
    Points points;  // outlives the log's thread
    Fixture fixture;
    fixture.settings.at_point = [&](std::string_view point) { points.pass(point); };
    fixture.restart();
    DurableState& state = *fixture.log->durable_state();
    const std::size_t idle = fixture.budget.used();
    points.stop_at([&] { state.put({{"a", "1"}}, [](auto) {}); });
    for (int i = 0; i < 100; ++i) state.put({{"a", std::string(100'000, 'x')}}, nullptr);
    CHECK(fixture.budget.used() > idle + 100'000);
    CHECK(fixture.budget.used() < idle + 200'000);
    state.put({{"a", std::nullopt}}, nullptr);
    CHECK(fixture.budget.used() < idle + 1'000);
    points.go_on.set_value();
    CHECK_FALSE(fixture.put({{"b", "1"}}));
    EVENTUALLY(fixture.budget.used() == idle);
    CHECK(fixture.values() == Values{{"b", "1"}});
}

TEST_CASE_METHOD(Fixture, "RocksLog: random values, put and appended, and restarts → the same as a plain map") {
    Values expected;
    std::mt19937 random(11);
    const auto any = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
    const auto some_values = [&] {
        std::vector<NamedValue> some;
        for (std::size_t n = 1 + any(4); n > 0; --n) {
            NamedValue value{std::string(any(3), static_cast<char>(any(4))), std::nullopt};
            if (any(4) != 0)
                value.value = std::string(any(20) == 0 ? any(300'000) : any(50), static_cast<char>(any(256)));
            if (value.value)
                expected[value.name] = *value.value;
            else
                expected.erase(value.name);
            some.push_back(std::move(value));
        }
        return some;
    };
    std::size_t begun = 0;
    std::atomic<std::size_t> ended{0};
    for (int round = 0; round < 2'000; ++round) {
        switch (any(12)) {
            case 0:
                if (any(10) == 0) restart();
                break;
            case 1:
            case 2:
                log->durable_state()->put(some_values(), nullptr);
                break;
            case 3:
                CHECK_FALSE(put(some_values()));
                REQUIRE(values() == expected);
                break;
            case 4:
            case 5:
            case 6:
                ++begun;
                log->append(attempt(some_values()), {make("a", 1, any(50) == 0 ? 9'000'000 : 10)},
                            [&](const AppendResult& result) { ended += result.error ? 0u : 1u; });
                break;
            default:
                ++begun;
                log->durable_state()->put(some_values(), [&](auto error) { ended += error ? 0u : 1u; });
        }
    }
    restart();
    CHECK(values() == expected);
    CHECK(ended == begun);
}
