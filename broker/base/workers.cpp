#include "broker/base/workers.hpp"

#include <exception>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice::base {

namespace {

constexpr int niceness = 10;

}  // namespace

Workers::Workers(std::size_t threads, std::size_t tasks_max) : tasks_max_(tasks_max) {
    try {
        for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
    } catch (...) {
        end();  // the destructor won't run, and destroying a joinable thread would terminate the process
        throw;
    }
}

Workers::~Workers() { end(); }

void Workers::end() {
    std::deque<Task> dropped;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        dropped.swap(tasks_);
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool Workers::post(Task task) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || tasks_.size() >= tasks_max_) return false;
        tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return true;
}

std::size_t Workers::waiting() const {
    const std::lock_guard lock(mutex_);
    return tasks_.size();
}

void Workers::run() {
    name_thread("sluiced work");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);  // on Linux, affects this thread only
    for (;;) {
        Task task;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
            if (stopping_) return;
            task = std::move(tasks_.front());
            tasks_.pop_front();
        }
        try {
            task();
        } catch (const std::exception& error) {
            log_failure("a worker's task failed", error.what());
        }
    }
}

}  // namespace sluice::base
