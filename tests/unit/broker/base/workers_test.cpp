#include "broker/base/workers.hpp"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>

#include "broker/server/api/on_worker.hpp"
#include "tests/support/eventually.hpp"

using namespace sluice;
using namespace sluice::base;

TEST_CASE("a worker goes on after a task that throws", "[workers]") {
    std::atomic<bool> done = false;
    Workers workers(1, 10);
    REQUIRE(workers.post(nullptr, [] { throw std::bad_alloc(); }));
    REQUIRE(workers.post(nullptr, [&] { done = true; }));
    EVENTUALLY(done);
}

TEST_CASE("the workers' queue is bounded", "[workers]") {
    std::promise<void> begun, go_on;
    Workers workers(1, 2);
    REQUIRE(workers.post(nullptr, [&] {
        begun.set_value();
        go_on.get_future().wait();
    }));
    begun.get_future().wait();
    CHECK(workers.post(nullptr, [] {}));
    CHECK(workers.post(nullptr, [] {}));
    CHECK(workers.waiting() == 2);
    CHECK_FALSE(workers.post(nullptr, [] {}));
    go_on.set_value();
}

namespace {

// One worker that is busy until go_on(), and whose clock the tasks move.
struct BusyWorker {
    BusyWorker() {
        REQUIRE(workers.post(&first_owner, [this] {
            begun.set_value();
            waits.get_future().wait();
        }));
        begun.get_future().wait();
    }

    // Queues tasks that take so long, and note their owner's name.
    void post(const int& owner, char name, int tasks, Workers::Time each) {
        for (int i = 0; i < tasks; ++i) {
            const Workers::Ticket ticket = workers.post(&owner, [this, name, each] {
                order += name;
                now += each;
            });
            if (ticket == 0) order += '?';
        }
    }
    // The order in which the tasks have been run. `all_posted`: returns when no task will post another.
    std::string go_on(const std::function<void()>& all_posted = [] {}) {
        std::promise<void> over;
        waits.set_value();
        all_posted();
        EVENTUALLY(workers.waiting() == 0);
        REQUIRE(workers.post(nullptr, [&] { over.set_value(); }));
        over.get_future().wait();
        return order;
    }

    std::promise<void> begun, waits;
    const int first_owner = 0;
    std::string order;     // used by the worker
    Workers::Time now{0};  // used by the worker
    Workers workers{1, 100, [this] { return now; }};
};

}  // namespace

TEST_CASE("the owner that has used least of the workers' time is next, whatever the number of its tasks", "[workers]") {
    const int owners[3] = {};
    BusyWorker busy;
    busy.post(owners[0], 'a', 6, Workers::Time(10));
    busy.post(owners[1], 'b', 3, Workers::Time(30));
    busy.post(owners[2], 'c', 1, Workers::Time(1));
    CHECK(busy.go_on() == "abcaabaaab");
}

TEST_CASE("a newcomer waits only for what runs, not for what others have queued", "[workers]") {
    const int owners[2] = {};
    BusyWorker busy;
    busy.post(owners[0], 'a', 3, Workers::Time(10));
    REQUIRE(busy.workers.post(&owners[0], [&] { busy.post(owners[1], 'n', 2, Workers::Time(5)); }));
    busy.post(owners[0], 'a', 3, Workers::Time(10));
    CHECK(busy.go_on() == "aaananaa");
}

TEST_CASE("of newcomers, the one with the smaller task is first, but nobody waits for ever", "[workers]") {
    const int owners[3] = {}, newcomers[20] = {};
    BusyWorker busy;
    REQUIRE(busy.workers.post(
                &owners[0], [&busy] { busy.order += 'l'; }, Workers::Time(100)) != 0);
    REQUIRE(busy.workers.post(
                &owners[1], [&busy] { busy.order += 's'; }, Workers::Time(1)) != 0);
    // Each newcomer brings the next.
    std::promise<void> last_came;
    std::function<void(int)> come = [&](int n) {
        const auto task = [&, n] {
            busy.order += 'n';
            busy.now += Workers::Time(40);
            n + 1 < 20 ? come(n + 1) : last_came.set_value();
        };
        if (busy.workers.post(&newcomers[n], task, Workers::Time(40)) == 0) busy.order += '?';
    };
    come(0);
    const std::string order = busy.go_on([&] { last_came.get_future().wait(); });
    CHECK(order.size() == 22);
    CHECK(order.starts_with("snn"));
    CHECK(order.find('l') < 8);
}

namespace {

// A task that notes that it has begun, and ends on request.
struct Blocker {
    void operator()() {
        begun = true;
        ends.wait(false);
    }
    void end() {
        ends = true;
        ends.notify_all();
    }

    std::atomic<bool> begun = false, ends = false;
};

// Ends them even if the test fails, since the workers wait for them.
struct Ender {
    ~Ender() {
        for (Blocker& blocker : blockers) blocker.end();
    }
    std::span<Blocker> blockers;
};

}  // namespace

TEST_CASE("Workers: short tasks do not wait for long ones, not even for those of their own owner", "[workers]") {
    const Workers::Time long_time = 2 * Workers::short_max;
    const int owners[2] = {};
    Blocker blockers[3];
    std::atomic<int> shorts = 0;
    Workers workers(2, 100);
    const Ender ender{blockers};
    for (Blocker& blocker : blockers) REQUIRE(workers.post(&owners[0], std::ref(blocker), long_time));
    for (const int& owner : owners)
        REQUIRE(workers.post(
            &owner, [&] { ++shorts; }, Workers::short_max));
    EVENTUALLY(shorts == 2);
    EVENTUALLY(blockers[0].begun && blockers[1].begun);
    CHECK_FALSE(blockers[2].begun);
    CHECK(workers.waiting() == 1);
    blockers[0].end();
    EVENTUALLY(blockers[2].begun);
}

TEST_CASE("Workers: the worker for short tasks does nothing while another short task runs", "[workers]") {
    const Workers::Time long_time = 2 * Workers::short_max;
    Blocker blockers[4];
    Blocker &first = blockers[0], &next = blockers[1], &last = blockers[2], &large = blockers[3];
    Workers workers(1, 100);
    const Ender ender{blockers};
    REQUIRE(workers.post(nullptr, std::ref(first)));
    EVENTUALLY(first.begun);
    for (Blocker* blocker : {&next, &last}) REQUIRE(workers.post(nullptr, std::ref(*blocker)));
    REQUIRE(workers.post(nullptr, std::ref(large), long_time));
    first.end();
    EVENTUALLY(next.begun);
    CHECK(workers.waiting() == 2);
    CHECK_FALSE(last.begun);
    CHECK_FALSE(large.begun);
    next.end();
    last.end();
    EVENTUALLY(large.begun);
}

TEST_CASE("Workers: a short task begins beside a long one that has begun in the place of a short one", "[workers]") {
    const Workers::Time long_time = 2 * Workers::short_max;
    const int owners[2] = {};
    Blocker blockers[4];
    Blocker &first_long = blockers[0], &first_short = blockers[1], &next_long = blockers[2], &next_short = blockers[3];
    std::atomic<Workers::Time> now{Workers::Time(0)};
    Workers workers(1, 100, [&] { return now.load(); });
    const Ender ender{blockers};
    REQUIRE(workers.post(&owners[0], std::ref(first_long), long_time));
    EVENTUALLY(first_long.begun);
    const auto take_a_second = [&] {
        blockers[1]();
        now = std::chrono::seconds(1);
    };
    REQUIRE(workers.post(&owners[1], take_a_second));
    EVENTUALLY(first_short.begun);
    REQUIRE(workers.post(&owners[0], std::ref(next_long), long_time));
    REQUIRE(workers.post(&owners[1], std::ref(next_short)));  // later than next_long, for the second
    first_long.end();
    first_short.end();
    EVENTUALLY(next_short.begun);
}

TEST_CASE("a queued task can be cancelled, and is then not run", "[workers]") {
    const int owner = 0;
    BusyWorker busy;
    const auto held = std::make_shared<int>(0);
    busy.post(owner, 'a', 1, Workers::Time(1));
    const Workers::Ticket ticket = busy.workers.post(&owner, [&busy, held] { busy.order += 'x'; });
    CHECK(held.use_count() == 2);
    CHECK_FALSE(busy.workers.cancel(&busy, ticket));
    CHECK_FALSE(busy.workers.cancel(&owner, ticket + 1));
    CHECK(busy.workers.cancel(&owner, ticket));
    CHECK(held.use_count() == 1);
    CHECK(busy.workers.waiting() == 1);
    CHECK_FALSE(busy.workers.cancel(&owner, ticket));
    const Workers::Ticket only = busy.workers.post(nullptr, [&busy] { busy.order += 'y'; });
    CHECK(busy.workers.cancel(nullptr, only));
    CHECK(busy.go_on() == "a");
    CHECK_FALSE(busy.workers.cancel(&owner, ticket - 1));  // it has run
}

namespace {

// The result that a coroutine gets from running the function on workers. The context outlives the workers: the result
// may arrive before the worker's post to the context has returned.
template <typename Function>
auto result_of(boost::asio::io_context& io, Workers& workers, Function function,
               std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max()) {
    io.restart();
    auto future = boost::asio::co_spawn(io, server::run_on_worker(workers, nullptr, deadline, std::move(function)),
                                        boost::asio::use_future);
    io.run();
    return future.get();
}

}  // namespace

TEST_CASE("a coroutine gets what its function returns or throws on a worker", "[workers]") {
    boost::asio::io_context io;
    Workers workers(1, 2);
    const auto caller = std::this_thread::get_id();
    CHECK(result_of(io, workers, [&] { return std::this_thread::get_id() != caller; }) == true);
    CHECK_THROWS_AS(result_of(io, workers, []() -> int { throw std::runtime_error("x"); }), std::runtime_error);
    Workers full(1, 0);
    CHECK_FALSE(result_of(io, full, [] { return 1; }).has_value());
    const auto passed = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    bool has_run = false;
    CHECK_FALSE(result_of(
                    io, workers, [&] { return has_run = true; }, passed)
                    .has_value());
    CHECK_FALSE(has_run);
}

TEST_CASE("a coroutine goes on when its client leaves before a worker is free", "[workers]") {
    boost::asio::io_context io;
    BusyWorker busy;
    const auto departure = std::make_shared<server::Departure>();
    bool has_run = false;
    const auto run = [&] {
        auto future = boost::asio::co_spawn(io,
                                            server::run_on_worker(
                                                busy.workers, nullptr, std::chrono::steady_clock::time_point::max(),
                                                [&] { return has_run = true; }, departure),
                                            boost::asio::use_future);
        boost::asio::post(io, [&] {
            EVENTUALLY(busy.workers.waiting() == 1 || departure->noticed);
            departure->noticed = true;
            if (departure->on_notice) departure->on_notice();
        });
        io.restart();
        io.run();
        return future.get();
    };
    CHECK_FALSE(run().has_value());
    CHECK_FALSE(run().has_value());  // it has left already
    CHECK(busy.workers.waiting() == 0);
    busy.go_on();
    CHECK_FALSE(has_run);
}
