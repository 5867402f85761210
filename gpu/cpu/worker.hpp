// A thread that runs tasks one after the other, for work that is off the caller's way. It lives as long as its owner,
// since starting a thread and waiting for its end can each cost the caller a slice of the scheduler's time, and it does
// not take the processor from a thread that is running (SCHED_BATCH, where there is such a thing).
// Any thread may use it; the destructor waits for the task that has been begun and drops those after it.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace sluice {

class Worker {
public:
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    // The task must not throw. It is destroyed on the worker's thread, with all that it holds.
    void post(std::function<void()> task);
    // What the task returns or throws.
    template <class Task>
    auto run(Task task) -> std::future<decltype(task())> {
        const auto promise = std::make_shared<std::promise<decltype(task())>>();
        post([promise, task = std::make_shared<Task>(std::move(task))] {
            try {
                promise->set_value((*task)());
            } catch (...) {
                promise->set_exception(std::current_exception());
            }
        });
        return promise->get_future();
    }

private:
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::function<void()>> tasks_;
    bool stopping_ = false;
    std::thread thread_;  // started for the first task
};

}  // namespace sluice
