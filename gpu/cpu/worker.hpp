// A thread that runs tasks one after the other, for work that would hold up the caller. It lives as long as its owner,
// since starting a thread and waiting for its end can each cost the caller a scheduler time slice. It does not preempt
// running threads (SCHED_BATCH, where available).
// Any thread may use it; the destructor waits for the running task and drops the tasks after it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace sluice::cpu {

class Worker {
public:
    Worker() = default;
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker();

    // The task must not throw. It is destroyed on the worker's thread, with everything it holds, unless it is dropped.
    // It runs after the delay, and after the tasks that were due before it.
    void post(std::function<void()> task, std::chrono::milliseconds delay = {});
    // Returns a future of the task's result or exception.
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
    std::multimap<std::chrono::steady_clock::time_point, std::function<void()>> tasks_;  // by when they are due
    bool stopping_ = false;
    std::thread thread_;  // started for the first task
};

template <class T>
bool is_ready(const std::future<T>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

}  // namespace sluice::cpu
