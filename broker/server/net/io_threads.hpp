// The threads that read, parse and write. Each runs its own io_context, and a connection stays on one thread. This
// needs no strands and no locks between threads, and a wake-up goes to the thread with the work. Created, started and
// stopped by one thread.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "broker/server/net/counted_place.hpp"

namespace sluice::server {

class IoThreads {
public:
    using Executor = boost::asio::io_context::executor_type;

    explicit IoThreads(std::size_t n);  // for connections, and one more
    ~IoThreads() { stop(); }

    void start();
    void stop();  // waits for the threads; drops unfinished work

    // Sets a function to call on the first thread after an operation threw there, repeatedly until it does not throw
    // itself. It lets the owner of an endless operation restart it. Call before start().
    void on_failure(std::function<void()> revive) { revive_ = std::move(revive); }

    // The executor of a thread of its own, for accepting connections and ending late ones: no connection delays it.
    Executor first() { return loops_.front()->io.get_executor(); }
    // The executor of the other thread that has the fewest connections, where a busy thread counts as having more: one
    // without a pause has as many more as a thread has on average. Equal ones take turns.
    Executor next();
    // Measures how busy the other threads have been since the last call. On the first thread, or the one that starts
    // and stops them.
    void measure();
    // Counts a connection on its thread while it lives. The threads must outlive it. Any thread.
    CountedPlace count_on(const boost::asio::any_io_executor& thread);

private:
    struct Loop {
        std::atomic<std::size_t> connections{0};  // outlives those that the context destroys
        std::atomic<unsigned> busy{0};            // eighths of the time
        std::chrono::nanoseconds used{0};         // of the processor, when it was measured
        boost::asio::io_context io{1};
        boost::asio::executor_work_guard<Executor> work{io.get_executor()};
        std::thread thread;
    };

    double load(const Loop& loop, double average) const;
    static void run(boost::asio::io_context& io, const std::function<void()>& revive);

    std::vector<std::unique_ptr<Loop>> loops_;
    std::function<void()> revive_;
    std::atomic<std::size_t> next_{0};
    std::chrono::steady_clock::time_point measured_at_ = std::chrono::steady_clock::now();
};

}  // namespace sluice::server
