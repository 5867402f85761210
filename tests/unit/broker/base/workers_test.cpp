#include "broker/base/workers.hpp"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "broker/server/on_worker.hpp"
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

TEST_CASE("owners take turns, whatever the number of their tasks", "[workers]") {
    std::promise<void> begun, go_on, over;
    std::vector<int> order;  // used by the only worker
    Workers workers(1, 100);
    const int owners[3] = {};
    REQUIRE(workers.post(&owners[1], [&] {
        begun.set_value();
        go_on.get_future().wait();
    }));
    begun.get_future().wait();
    for (int i = 0; i < 50; ++i) REQUIRE(workers.post(&owners[0], [&] { order.push_back(0); }));
    for (int i = 0; i < 2; ++i) REQUIRE(workers.post(&owners[2], [&] { order.push_back(2); }));
    REQUIRE(workers.post(&owners[1], [&] { order.push_back(1); }));
    CHECK(workers.waiting() == 53);
    go_on.set_value();
    EVENTUALLY(workers.waiting() == 0);
    REQUIRE(workers.post(nullptr, [&] { over.set_value(); }));
    over.get_future().wait();
    REQUIRE(order.size() == 53);
    CHECK(std::vector<int>(order.begin(), order.begin() + 6) == std::vector<int>{2, 0, 1, 2, 0, 0});
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
