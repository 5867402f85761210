#include "gpu/cpu/worker.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace sluice::cpu {

Worker::~Worker() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Worker::post(std::function<void()> task, std::chrono::milliseconds delay) {
    {
        const std::lock_guard lock(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        tasks_.emplace(std::chrono::steady_clock::now() + delay, std::move(task));
    }
    changed_.notify_one();
}

void Worker::work() {
#ifdef __linux__
    const sched_param parameters{};
    sched_setscheduler(0, SCHED_BATCH, &parameters);  // for this thread; no matter if refused
#endif
    for (std::unique_lock lock(mutex_); !stopping_;) {
        if (tasks_.empty()) {
            changed_.wait(lock);
            continue;
        }
        const auto due = tasks_.begin()->first;
        if (std::chrono::steady_clock::now() < due) {
            changed_.wait_until(lock, due);
            continue;
        }
        std::function<void()> task = std::move(tasks_.begin()->second);
        tasks_.erase(tasks_.begin());
        lock.unlock();
        try {
            task();
        } catch (...) {  // a task reports its failures itself, and may be posted again
        }
        task = nullptr;
        lock.lock();
    }
}

}  // namespace sluice::cpu
