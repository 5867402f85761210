#include "broker/base/workers.hpp"

#include <atomic>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <future>
#include <stdexcept>
#include <thread>

#include "broker/server/on_worker.hpp"
#include "tests/support/eventually.hpp"

using namespace sluice;
using namespace sluice::base;

TEST_CASE("a worker goes on after a task that throws", "[workers]") {
    std::atomic<bool> done = false;
    Workers workers(1, 10);
    REQUIRE(workers.post([] { throw std::bad_alloc(); }));
    REQUIRE(workers.post([&] { done = true; }));
    EVENTUALLY(done);
}

TEST_CASE("the workers' queue is bounded", "[workers]") {
    std::promise<void> begun, go_on;
    Workers workers(1, 2);
    REQUIRE(workers.post([&] {
        begun.set_value();
        go_on.get_future().wait();
    }));
    begun.get_future().wait();
    CHECK(workers.post([] {}));
    CHECK(workers.post([] {}));
    CHECK(workers.waiting() == 2);
    CHECK_FALSE(workers.post([] {}));
    go_on.set_value();
}

namespace {

// The result that a coroutine gets from running the function on workers. The context outlives the workers: the result
// may arrive before the worker's post to the context has returned.
template <typename Function>
auto result_of(boost::asio::io_context& io, Workers& workers, Function function) {
    io.restart();
    auto future =
        boost::asio::co_spawn(io, server::run_on_worker(workers, std::move(function)), boost::asio::use_future);
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
}
