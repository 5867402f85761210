// The threads that read, parse and write. Each runs an io_context of its own, and a connection stays with one of them:
// no strands, no locks between them, and a wake-up goes to the thread that has the work. Made, started and stopped by
// one thread.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace sluice {

class IoThreads {
public:
    using Executor = boost::asio::io_context::executor_type;

    explicit IoThreads(std::size_t n);
    ~IoThreads() { stop(); }

    void start();
    void stop();  // and waits; what is not finished is dropped

    Executor first() { return loops_.front()->io.get_executor(); }
    // In turn. Any thread.
    Executor next() { return loops_[next_.fetch_add(1, std::memory_order_relaxed) % loops_.size()]->io.get_executor(); }

private:
    struct Loop {
        boost::asio::io_context io{1};
        boost::asio::executor_work_guard<Executor> work{io.get_executor()};
        std::thread thread;
    };

    std::vector<std::unique_ptr<Loop>> loops_;
    std::atomic<std::size_t> next_{0};
};

}  // namespace sluice
