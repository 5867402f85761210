#include "broker/server/net/io_threads.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <new>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "tests/support/eventually.hpp"
#include "tests/unit/broker/support.hpp"

TEST_CASE("an I/O thread goes on after a handler has failed") {
    sluice::broker::test_options();  // no log
    std::atomic<bool> reached{false};
    sluice::server::IoThreads threads(1);
    threads.start();
    boost::asio::post(threads.first(), [] { throw std::runtime_error("on purpose"); });
    boost::asio::post(threads.first(), [] { throw std::bad_alloc(); });
    boost::asio::post(threads.first(), [] { throw 7; });  // NOLINT: anything
    boost::asio::post(threads.first(), [&] { reached = true; });
    EVENTUALLY(reached);
}

TEST_CASE("the first thread does not wait for those of connections") {
    std::atomic<bool> reached{false}, done{false};
    sluice::server::IoThreads threads(1);
    threads.start();
    boost::asio::post(threads.next(), [&] {
        while (!reached) std::this_thread::yield();
        done = true;
    });
    boost::asio::post(threads.first(), [&] { reached = true; });
    EVENTUALLY(done);
    CHECK(threads.next() == threads.next());
    CHECK(threads.next() != threads.first());
}

TEST_CASE("IoThreads: a connection goes to the thread that has the fewest, and in turn where they have equally many") {
    using sluice::server::CountedPlace;
    sluice::server::IoThreads threads(3);
    std::vector<sluice::server::IoThreads::Executor> chosen;
    std::vector<std::unique_ptr<CountedPlace>> connections;
    const auto connect = [&] {
        chosen.push_back(threads.next());
        connections.push_back(std::make_unique<CountedPlace>(threads.count_on(chosen.back())));
        return chosen.back();
    };
    for (int i = 0; i < 6; ++i) connect();
    for (const auto& thread : chosen) CHECK(std::count(chosen.begin(), chosen.end(), thread) == 2);
    CHECK(chosen[0] != chosen[1]);
    const auto left = chosen[1];
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (chosen[i] == left) connections[i].reset();
    for (int i = 0; i < 2; ++i) CHECK(connect() == left);
    CHECK(threads.next() != threads.next());  // all have two
}

TEST_CASE("IoThreads: a busy thread gets no new connections until the others have about twice the average") {
    using sluice::server::CountedPlace;
    sluice::server::IoThreads threads(2);
    threads.start();
    const auto busy = threads.next(), idle = threads.next();
    REQUIRE(busy != idle);
    std::stop_source end;
    boost::asio::post(busy, [token = end.get_token()] {
        while (token.stop_possible() && !token.stop_requested()) {  // not possible: the test has failed
        }
    });
    const auto is_passed_over = [&] {
        threads.measure();
        return threads.next() == idle && threads.next() == idle;
    };
    EVENTUALLY(is_passed_over());  // the machine decides how much of a processor it gets
    std::vector<std::unique_ptr<CountedPlace>> connections;
    connections.push_back(std::make_unique<CountedPlace>(threads.count_on(busy)));
    for (int i = 0; i < 20; ++i) connections.push_back(std::make_unique<CountedPlace>(threads.count_on(idle)));
    CHECK(threads.next() == busy);
    connections.clear();
    end.request_stop();
    const auto take_turns = [&] {
        threads.measure();
        return threads.next() != threads.next();
    };
    EVENTUALLY(take_turns());
}
