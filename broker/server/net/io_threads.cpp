#include "broker/server/net/io_threads.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice::server {

namespace {

constexpr std::chrono::milliseconds pause_after_failure{1};  // usually an allocation failure

}  // namespace

IoThreads::IoThreads(std::size_t n) {
    for (std::size_t i = 0; i <= n; ++i) loops_.push_back(std::make_unique<Loop>());
}

void IoThreads::start() {
    for (const auto& loop : loops_) {
        const bool is_first = loop == loops_.front();
        loop->thread = std::thread([&io = loop->io, is_first, revive = is_first ? revive_ : nullptr] {
            base::name_thread(is_first ? "sluiced accept" : "sluiced io");
            run(io, revive);
        });
    }
}

IoThreads::Executor IoThreads::next() {
    const std::size_t threads = loops_.size() - 1, turn = next_.fetch_add(1, std::memory_order_relaxed);
    Loop* chosen = loops_[1 + turn % threads].get();
    for (std::size_t i = 1; i < threads; ++i) {
        Loop* const other = loops_[1 + (turn + i) % threads].get();
        if (other->connections.load() < chosen->connections.load()) chosen = other;
    }
    return chosen->io.get_executor();
}

CountedPlace IoThreads::count_on(const boost::asio::any_io_executor& thread) {
    const Executor* const executor = thread.target<Executor>();
    const auto found = std::find_if(loops_.begin(), loops_.end(), [executor](const auto& loop) {
        return executor != nullptr && *executor == loop->io.get_executor();
    });
    Loop& loop = found == loops_.end() ? *loops_.front() : **found;
    return CountedPlace(loop.connections, std::numeric_limits<std::size_t>::max());
}

// An exception from an operation ends that operation and those that wait for it; the others continue.
void IoThreads::run(boost::asio::io_context& io, const std::function<void()>& revive) {
    bool failed = false;
    while (!io.stopped()) {
        try {
            if (failed) {
                std::this_thread::sleep_for(pause_after_failure);
                io.poll();
                if (revive) revive();
            }
            failed = false;
            io.run();
        } catch (const std::exception& error) {
            failed = true;
            base::log_failure("an I/O thread goes on after a failure", error.what());
        } catch (...) {
            failed = true;
            base::log_failure("an I/O thread goes on after a failure", "unknown");
        }
    }
}

void IoThreads::stop() {
    for (const auto& loop : loops_) loop->io.stop();
    for (const auto& loop : loops_) {
        if (loop->thread.joinable()) loop->thread.join();
    }
}

}  // namespace sluice::server
