#include "broker/base/workers.hpp"

#include <algorithm>
#include <exception>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "broker/base/cpu_time.hpp"
#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice::base {

namespace {

constexpr int niceness = 10;
constexpr std::size_t owners_kept =
    256;  // beyond it, owners without tasks that have nothing to make up for are forgotten
constexpr Workers::Time least_time{1};  // so that tasks take turns even where the clock does not see them

}  // namespace

Workers::Workers(std::size_t threads, std::size_t tasks_max) : Workers(threads, tasks_max, cpu_time) {}

Workers::Workers(std::size_t threads, std::size_t tasks_max, Clock clock)
    : tasks_max_(tasks_max), clock_(std::move(clock)) {
    try {
        for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { run(); });
    } catch (...) {
        end();  // the destructor won't run, and destroying a joinable thread would terminate the process
        throw;
    }
}

Workers::~Workers() { end(); }

void Workers::end() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    Owners dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(owners_);
    ready_.clear();
    waiting_ = 0;
}

Workers::Ticket Workers::post(Owner owner, Task task, Time estimate) {
    Ticket ticket = 0;
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || waiting_ >= tasks_max_) return 0;
        if (owners_.size() > owners_kept + 2 * ready_.size()) forget_idle_locked();
        const auto of_owner = owners_.try_emplace(owner).first;
        ticket = ++last_number_;
        of_owner->second.tasks.push_back({ticket, std::move(task), estimate});
        if (of_owner->second.tasks.size() == 1) {
            of_owner->second.used = std::max(of_owner->second.used, now_);
            try {
                insert_locked(of_owner);
            } catch (...) {
                of_owner->second.tasks.pop_back();
                throw;
            }
        }
        ++waiting_;
    }
    changed_.notify_one();
    return ticket;
}

bool Workers::cancel(Owner owner, Ticket ticket) noexcept {
    Task dropped;  // destroyed without the lock
    const std::lock_guard lock(mutex_);
    const auto of_owner = owners_.find(owner);
    if (of_owner == owners_.end()) return false;
    std::deque<Queued>& tasks = of_owner->second.tasks;
    const auto found = std::lower_bound(tasks.begin(), tasks.end(), ticket,
                                        [](const Queued& queued, Ticket t) { return queued.ticket < t; });
    if (found == tasks.end() || found->ticket != ticket) return false;
    dropped = std::move(found->task);
    tasks.erase(found);
    --waiting_;
    if (tasks.empty()) ready_.erase(of_owner->second.key);
    return true;
}

std::size_t Workers::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

void Workers::insert_locked(Owners::iterator owner) {
    owner->second.key = {owner->second.finish(), ++last_number_};
    ready_.emplace(owner->second.key, owner);
}

// Moves the owner's place in ready_ without allocating, or takes it out if it has no more tasks.
Workers::Owners::iterator Workers::take_locked(Task& task) {
    auto place = ready_.extract(ready_.begin());
    const auto owner = place.mapped();
    OwnersTasks& of_owner = owner->second;
    task = std::move(of_owner.tasks.front().task);
    of_owner.tasks.pop_front();
    --waiting_;
    ++running_;
    ++of_owner.running;
    if (!of_owner.tasks.empty()) {
        place.key() = of_owner.key = {of_owner.finish(), ++last_number_};
        ready_.insert(std::move(place));
    }
    return owner;
}

void Workers::finish_locked(Owners::iterator owner, Time took) {
    OwnersTasks& of_owner = owner->second;
    took = std::max(took, least_time);
    of_owner.used += took;
    --of_owner.running;
    --running_;
    // About the number of owners that have shared the workers.
    now_ += took / static_cast<std::int64_t>(ready_.size() + running_ + (of_owner.tasks.empty() ? 1 : 0));
    if (!of_owner.tasks.empty() && !stopping_) {
        auto place = ready_.extract(of_owner.key);
        place.key() = of_owner.key = {of_owner.finish(), ++last_number_};
        ready_.insert(std::move(place));
    }
    if (running_ != 0 || waiting_ != 0) return;
    owners_.clear();  // nobody has waited for another
    now_ = Time{0};
}

void Workers::forget_idle_locked() {
    std::erase_if(owners_, [this](const auto& entry) {
        const OwnersTasks& of_owner = entry.second;
        return of_owner.tasks.empty() && of_owner.running == 0 && of_owner.used <= now_;
    });
}

void Workers::run() {
    name_thread("sluiced work");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);  // on Linux, affects this thread only
    for (;;) {
        Task task;
        Owners::iterator owner;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stopping_ || waiting_ != 0; });
            if (stopping_) return;
            owner = take_locked(task);
        }
        const Time begun = clock_();
        try {
            task();
        } catch (const std::exception& error) {
            log_failure("a worker's task failed", error.what());
        }
        task = nullptr;
        const std::lock_guard lock(mutex_);
        finish_locked(owner, clock_() - begun);
    }
}

}  // namespace sluice::base
