#include "gpu/tools/distance/tasks.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::edits {

namespace {

constexpr std::chrono::milliseconds watch_interval{20};

class Crew {
public:
    using Run = std::function<void(std::size_t, const std::atomic<bool>&)>;

    Crew(std::size_t tasks, const Run& run) : tasks_(tasks), run_(run) {}

    bool work(unsigned threads, const Watch& watch) {
        {
            const std::vector<std::jthread> crew = start(std::min<std::size_t>(threads, tasks_));
            try {
                watch_over(crew.size(), watch);
            } catch (...) {
                stop_ = true;
                throw;
            }
        }
        if (failure_) std::rethrow_exception(failure_);
        return !stop_;
    }

private:
    // At least one thread, if there are tasks: where the system has no more, those that have started do all the work.
    std::vector<std::jthread> start(std::size_t threads) {
        std::vector<std::jthread> crew;
        crew.reserve(threads);
        while (crew.size() < threads) {
            const std::lock_guard lock(mutex_);
            try {
                crew.emplace_back([this] { take_tasks(); });
                ++active_;
            } catch (const std::exception&) {
                if (crew.empty()) throw;
                break;
            }
        }
        return crew;
    }

    void watch_over(std::size_t threads, const Watch& watch) {
        std::unique_lock lock(mutex_);
        do {
            lock.unlock();
            if (watch && !watch(share_done(threads))) stop_ = true;
            lock.lock();
        } while (!ended_.wait_for(lock, watch_interval, [this] { return active_ == 0; }));
    }

    double share_done(std::size_t threads) const {
        const std::size_t begun = std::min(next_.load(std::memory_order_relaxed), tasks_ + threads);
        return begun > threads ? static_cast<double>(begun - threads) / static_cast<double>(tasks_) : 0;
    }

    void take_tasks() {
        try {
            while (!stop_) {
                const std::size_t task = next_.fetch_add(1, std::memory_order_relaxed);
                if (task >= tasks_) break;
                run_(task, stop_);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            stop_ = true;
        }
        const std::lock_guard lock(mutex_);
        if (--active_ == 0) ended_.notify_one();
    }

    const std::size_t tasks_;
    const Run& run_;
    std::atomic<std::size_t> next_ = 0;
    std::atomic<bool> stop_ = false;
    std::mutex mutex_;  // of all below
    std::condition_variable ended_;
    std::size_t active_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

unsigned thread_count(unsigned wanted) {
    return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

bool run_tasks(std::size_t tasks, unsigned threads, const Watch& watch,
               const std::function<void(std::size_t task, const std::atomic<bool>& stop)>& run) {
    return Crew(tasks, run).work(threads, watch);
}

}  // namespace sluice::edits
