#include "broker/server/net/io_threads.hpp"

#include <chrono>
#include <exception>

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
