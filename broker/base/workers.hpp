// A thread pool for work that would block an I/O thread: parsing large documents, compiling filters, trying a filter on
// a document. The task queue is bounded, and the owners of tasks take turns. Workers run at a lower priority than the
// other threads, which therefore stay responsive while workers are busy. Any thread may post.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::base {

class Workers {
public:
    using Task = std::function<void()>;
    using Owner = const void*;  // only compared

    Workers(std::size_t threads, std::size_t tasks_max);  // throws std::system_error if a thread cannot be started
    ~Workers();                                           // drops queued tasks and waits for running ones

    // Returns false if the queue is full; the task will not run. Exceptions that escape a task are logged.
    [[nodiscard]] bool post(Owner owner, Task task);

    std::size_t waiting() const;

private:
    void run();
    void end();
    Task take_locked();

    const std::size_t tasks_max_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<Owner, std::deque<Task>> tasks_;  // in the order of an owner's posts
    std::size_t waiting_ = 0;
    Owner last_ = nullptr;  // whose task was taken last
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace sluice::base
