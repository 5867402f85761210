#include "broker/matching/event_queue.hpp"

#include <catch2/catch.hpp>
#include <thread>

using namespace std::chrono_literals;
using sluice::Event;
using sluice::EventQueue;
using sluice::QueuedEvent;

namespace {

std::vector<QueuedEvent> events(std::uint64_t first_id, std::size_t n, std::size_t bytes = 1) {
    std::vector<QueuedEvent> list(n);
    for (std::size_t i = 0; i < n; ++i) {
        list[i].event.id = first_id + i;
        list[i].bytes = bytes;
    }
    return list;
}

}  // namespace

TEST_CASE("batches come in order and are bounded") {
    EventQueue queue(1000, 1000);
    queue.push(events(1, 50));
    std::vector<Event> batch;
    REQUIRE(queue.pop(32, 1h, batch));
    CHECK(batch.size() == 32);
    CHECK(batch.front().id == 1);
    CHECK(batch.back().id == 32);
    CHECK(queue.events() == 18);
    CHECK(queue.bytes() == 18);
}

TEST_CASE("a batch that is not full leaves after the delay") {
    EventQueue queue(1000, 1000);
    queue.push(events(1, 3));
    std::vector<Event> batch;
    REQUIRE(queue.pop(32, 1ms, batch));
    CHECK(batch.size() == 3);
}

TEST_CASE("an idle matcher takes what comes at once") {
    EventQueue queue(1000, 1000);
    std::vector<Event> batch;
    std::thread popper([&] { queue.pop(32, 1h, batch); });
    queue.push(events(1, 1));
    // Either the popper waited, and took it at once; or it came late, and a full batch ends its wait.
    queue.push(events(2, 31));
    popper.join();
    CHECK(batch.front().id == 1);
}

TEST_CASE("a full queue has no room until something leaves") {
    const bool by_bytes = GENERATE(false, true);
    EventQueue queue(by_bytes ? 1000 : 4, by_bytes ? 4 : 1000);
    int called = 0;
    CHECK(queue.has_room());
    CHECK_FALSE(queue.wait_for_room([&] { ++called; }));
    queue.push(events(1, 6));
    CHECK_FALSE(queue.has_room());
    CHECK(queue.wait_for_room([&] { ++called; }));
    CHECK(queue.wait_for_room([&] { ++called; }));
    std::vector<Event> batch;
    queue.pop(1, 1h, batch);
    CHECK(called == 0);  // five are left: still above the bound
    queue.pop(2, 1h, batch);
    CHECK(called == 2);
    CHECK(queue.has_room());
}

TEST_CASE("a closed queue refuses, gives what it has, then says that it is over") {
    EventQueue queue(2, 1000);
    queue.push(events(1, 2));
    int called = 0;
    CHECK(queue.wait_for_room([&] { ++called; }));
    queue.close();
    CHECK(called == 1);
    CHECK_FALSE(queue.push(events(3, 1)));
    std::vector<Event> batch;
    CHECK(queue.pop(32, 1h, batch));
    CHECK(batch.size() == 2);
    CHECK_FALSE(queue.pop(32, 1h, batch));
}

TEST_CASE("closing ends a waiting pop; clearing drops what is queued") {
    EventQueue queue(1000, 1000);
    bool more = true;
    std::thread popper([&] {
        std::vector<Event> batch;
        more = queue.pop(32, 1h, batch);
    });
    queue.close();
    popper.join();
    CHECK_FALSE(more);

    EventQueue other(1000, 1000);
    other.push(events(1, 5));
    CHECK(other.clear() == 5);
    CHECK(other.events() == 0);
    CHECK(other.bytes() == 0);
}

TEST_CASE("many publishers lose nothing and keep their own order") {
    constexpr std::uint64_t publishers = 4;
    constexpr std::uint64_t each = 5'000;
    EventQueue queue(1'000'000, 1'000'000);
    std::vector<std::thread> threads;
    for (std::uint64_t p = 0; p < publishers; ++p) {
        threads.emplace_back([&queue, p] {
            for (std::uint64_t i = 0; i < each; ++i) queue.push(events(p << 32 | i, 1));
        });
    }
    std::vector<std::uint64_t> next(publishers, 0);
    std::uint64_t received = 0;
    bool in_order = true;
    while (received < publishers * each) {
        std::vector<Event> batch;
        queue.pop(32, 100us, batch);
        for (const Event& event : batch) {
            const std::uint64_t p = event.id >> 32;
            in_order &= (event.id & 0xffff'ffff) == next[p]++;
        }
        received += batch.size();
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(in_order);
    CHECK(queue.events() == 0);
}
