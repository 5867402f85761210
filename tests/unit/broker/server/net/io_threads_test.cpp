#include "broker/server/net/io_threads.hpp"

#include <atomic>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <thread>

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
