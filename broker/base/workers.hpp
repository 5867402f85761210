// A thread pool for work that would block an I/O thread: parsing large documents, compiling filters, trying a filter on
// a document. The task queue is bounded. Owners of tasks share the workers fairly: the next task is that of the owner
// that will then have used them least (weighted fair queueing, Demers et al. 1989, with measured times and a virtual
// time that is brought up to date when a task ends). So a newcomer waits for what runs, and for other newcomers with
// smaller tasks, whatever others have queued. Short tasks never wait for long ones, not even for those of their own
// owner: they count for an account of their own, and one more worker runs a short task while all others run long ones.
// Workers run at a lower priority than the other threads, which therefore stay responsive while workers are busy. Any
// thread may post and cancel.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::base {

class Workers {
public:
    using Task = std::function<void()>;
    using Owner = const void*;  // only compared
    using Ticket = std::uint64_t;
    using Time = std::chrono::nanoseconds;
    using Clock = std::function<Time()>;  // the processor time of the calling thread; tests move it by hand

    static constexpr Time short_max = std::chrono::milliseconds(10);  // a task with a greater estimate is long

    // `threads`: the number of tasks that may run at a time, not counting the one more. Throws std::system_error if a
    // thread cannot be started.
    Workers(std::size_t threads, std::size_t tasks_max);
    Workers(std::size_t threads, std::size_t tasks_max, Clock clock);
    ~Workers();  // drops queued tasks and waits for running ones

    // `estimate`: the time that the task may take; it decides only when the task begins. Returns a number
    // other than 0, or 0 if the queue is full; the task will then not run. Exceptions that escape a task are logged.
    [[nodiscard]] Ticket post(Owner owner, Task task, Time estimate = Time{0});
    // Takes a task out of the queue. Returns false if it has begun, or even ended.
    bool cancel(Owner owner, Ticket ticket) noexcept;

    std::size_t waiting() const;

private:
    using Key = std::pair<Time, std::uint64_t>;  // the time used after the next task, and a number that nobody else has
    struct Queued {
        Ticket ticket;
        Task task;
        Time estimate;
    };
    struct Account {
        std::deque<Queued> tasks;  // in the order of the owner's posts
        Time used{0};              // of the workers' time, counted from that of the others
        std::size_t running = 0;
        Key key{};  // in ready_, if there are tasks

        Time finish() const { return used + tasks.front().estimate; }
    };
    // The second member: whether the tasks are long.
    using Accounts = std::map<std::pair<Owner, bool>, Account>;
    using Ready = std::map<Key, Accounts::iterator>;

    void run();
    void end();
    Ready* next_locked();
    Accounts::iterator take_locked(Ready& ready, Task& task);
    void finish_locked(Accounts::iterator account, Time took);
    void insert_locked(Accounts::iterator account);
    void forget_idle_locked();
    std::size_t ready_locked() const { return ready_[0].size() + ready_[1].size(); }
    Ready& ready_of(Accounts::iterator account) { return ready_[account->first.second ? 1 : 0]; }

    const std::size_t running_max_;  // and one more, if it is short and all others are long
    const std::size_t tasks_max_;
    const Clock clock_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    Accounts accounts_;
    std::array<Ready, 2> ready_;  // the accounts with tasks: short ones, long ones
    std::uint64_t last_number_ = 0;
    std::size_t waiting_ = 0, running_ = 0, running_long_ = 0;
    Time now_{0};  // virtual time: what an account would have used that has always had its share; where newcomers begin
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace sluice::base
