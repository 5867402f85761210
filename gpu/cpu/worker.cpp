#include "gpu/cpu/worker.hpp"

#ifdef __linux__
#include <sched.h>
#endif

namespace sluice {

Worker::~Worker() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Worker::post(std::function<void()> task) {
    {
        const std::lock_guard lock(mutex_);
        if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
        tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
}

void Worker::work() {
#ifdef __linux__
    const sched_param parameters{};
    sched_setscheduler(0, SCHED_BATCH, &parameters);  // of this thread; where that is refused, it goes on as it is
#endif
    for (std::unique_lock lock(mutex_);;) {
        changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (stopping_) return;
        std::function<void()> task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        task();
        task = nullptr;
        lock.lock();
    }
}

}  // namespace sluice
