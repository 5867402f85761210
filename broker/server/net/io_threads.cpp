#include "broker/server/net/io_threads.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>

#include "broker/base/cpu_time.hpp"
#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice::server {

namespace {

constexpr std::chrono::milliseconds pause_after_failure{1};  // usually an allocation failure
constexpr double eighths = 8;                                // so coarse that threads that are hardly busy are equal

}  // namespace

IoThreads::IoThreads(std::size_t n) {
    for (std::size_t i = 0; i <= n; ++i) loops_.push_back(std::make_unique<Loop>());
}

// The first one last, since it measures the others.
void IoThreads::start() {
    for (auto at = loops_.rbegin(); at != loops_.rend(); ++at) {
        const auto& loop = *at;
        const bool is_first = loop == loops_.front();
        loop->thread = std::thread([&io = loop->io, is_first, revive = is_first ? revive_ : nullptr] {
            base::name_thread(is_first ? "sluiced accept" : "sluiced io");
            run(io, revive);
        });
    }
}

double IoThreads::load(const Loop& loop, double average) const {
    return static_cast<double>(loop.connections.load()) / (average + 1) + loop.busy.load() / eighths;
}

IoThreads::Executor IoThreads::next() {
    const std::size_t threads = loops_.size() - 1, turn = next_.fetch_add(1, std::memory_order_relaxed);
    double connections = 0;
    for (std::size_t i = 1; i <= threads; ++i) connections += static_cast<double>(loops_[i]->connections.load());
    const double average = connections / static_cast<double>(threads);
    Loop* chosen = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < threads; ++i) {
        Loop* const loop = loops_[1 + (turn + i) % threads].get();
        if (const double load = this->load(*loop, average); load < least) {
            chosen = loop;
            least = load;
        }
    }
    return chosen->io.get_executor();
}

void IoThreads::measure() {
    const auto now = std::chrono::steady_clock::now();
    const auto passed = std::max(now - measured_at_, decltype(now - measured_at_)(1));
    measured_at_ = now;
    for (std::size_t i = 1; i < loops_.size(); ++i) {
        Loop* const loop = loops_[i].get();
        if (!loop->thread.joinable()) continue;
        const std::chrono::nanoseconds used = base::cpu_time_of(loop->thread);
        const double share = std::chrono::duration<double>(used - loop->used) / passed;
        loop->busy = static_cast<unsigned>(std::lround(std::clamp(share, 0.0, 1.0) * eighths));
        loop->used = used;
    }
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
