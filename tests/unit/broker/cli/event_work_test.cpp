#include "broker/cli/event_work.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <stdexcept>
#include <string>
#include <vector>

using namespace sluice::cli;

namespace {

const auto never = [] { return false; };

SseEvent numbered(int n) { return {"message", std::to_string(n), "{}"}; }

}  // namespace

TEST_CASE("EventWork: events → handled in order, each once") {
    constexpr int last = 99;
    std::vector<std::string> handled;
    std::promise<void> done;
    EventWork work([&](const SseEvent& event) {
        handled.push_back(event.id);
        if (event.id == std::to_string(last)) done.set_value();
        return true;
    });
    for (int n = 0; n <= last; ++n) CHECK(work.add(numbered(n), never));
    done.get_future().wait();
    work.drop();
    REQUIRE(handled.size() == last + 1);
    for (int n = 0; n <= last; ++n) CHECK(handled[static_cast<std::size_t>(n)] == std::to_string(n));
    CHECK(!work.has_ended());
}

TEST_CASE("EventWork: drop() → what waits is not handled, and what is being handled is over") {
    std::promise<void> begun, go_on, last;
    auto may_go_on = go_on.get_future();
    std::vector<std::string> handled;
    EventWork work([&](const SseEvent& event) {
        if (event.id == "0") {
            begun.set_value();
            may_go_on.wait();
        }
        handled.push_back(event.id);
        if (event.id == "last") last.set_value();
        return true;
    });
    for (int n = 0; n < 5; ++n) work.add(numbered(n), never);
    begun.get_future().wait();
    auto releasing = std::async(std::launch::async, [&] { go_on.set_value(); });
    work.drop();
    const std::size_t before = handled.size();
    CHECK(before >= 1);
    work.add({"message", "last", "{}"}, never);
    last.get_future().wait();
    work.drop();
    CHECK(handled.size() == before + 1);
}

TEST_CASE("EventWork: handle returns false → no more is handled") {
    std::atomic<int> handled{0};
    EventWork work([&](const SseEvent&) {
        ++handled;
        return false;
    });
    for (int n = 0; n < 5; ++n) work.add(numbered(n), never);
    while (!work.has_ended()) std::this_thread::yield();
    work.add(numbered(5), never);
    work.drop();
    CHECK(handled == 1);
}

TEST_CASE("EventWork: more than fits → add() waits until there is room, or it is to stop") {
    std::promise<void> begun, go_on;
    auto may_go_on = go_on.get_future().share();
    std::atomic<bool> has_begun{false};
    EventWork work([&](const SseEvent&) {
        if (!has_begun.exchange(true)) begun.set_value();
        may_go_on.wait();
        return true;
    });
    SseEvent large = numbered(0);
    large.data.assign(EventWork::bytes_max / 2 + 1, 'x');
    CHECK(work.add(large, never));
    begun.get_future().wait();  // it does not wait any more
    CHECK(work.add(large, never));
    int asked = 0;
    CHECK(!work.add(large, [&] { return ++asked > 2; }));
    go_on.set_value();
    CHECK(work.add(large, never));
    work.drop();
}

TEST_CASE("EventWork: handle throws → drop() throws it") {
    EventWork work([](const SseEvent&) -> bool { throw std::runtime_error("no more"); });
    work.add(numbered(0), never);
    while (!work.has_ended()) std::this_thread::yield();
    CHECK_THROWS_WITH(work.drop(), "no more");
    CHECK_NOTHROW(work.drop());
}
