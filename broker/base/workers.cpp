#include "broker/base/workers.hpp"

#include <exception>
#include <optional>
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
    std::map<Owner, std::deque<Task>> dropped;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
        dropped.swap(tasks_);
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

bool Workers::post(Owner owner, Task task) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || waiting_ >= tasks_max_) return false;
        tasks_[owner].push_back(std::move(task));
        ++waiting_;
    }
    changed_.notify_one();
    return true;
}

std::size_t Workers::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

// Of the owner whose turn comes after the last one's. An owner without tasks may remain after a failed post.
Workers::Task Workers::take_locked() {
    for (;;) {
        auto at = tasks_.upper_bound(last_);
        if (at == tasks_.end()) at = tasks_.begin();
        last_ = at->first;
        std::optional<Task> task;
        if (!at->second.empty()) {
            task = std::move(at->second.front());
            at->second.pop_front();
        }
        if (at->second.empty()) tasks_.erase(at);
        if (!task) continue;
        --waiting_;
        return std::move(*task);
    }
}

void Workers::run() {
    name_thread("sluiced work");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);  // on Linux, affects this thread only
    for (;;) {
        Task task;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stopping_ || waiting_ != 0; });
            if (stopping_) return;
            task = take_locked();
        }
        try {
            task();
        } catch (const std::exception& error) {
            log_failure("a worker's task failed", error.what());
        }
    }
}

}  // namespace sluice::base
