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
// Beyond it, accounts without tasks that have nothing to make up for are forgotten.
constexpr std::size_t accounts_kept = 256;
constexpr Workers::Time least_time{1};  // so that tasks take turns even where the clock does not see them

}  // namespace

Workers::Workers(std::size_t threads, std::size_t tasks_max) : Workers(threads, tasks_max, cpu_time) {}

Workers::Workers(std::size_t threads, std::size_t tasks_max, Clock clock)
    : running_max_(threads), tasks_max_(tasks_max), clock_(std::move(clock)) {
    try {
        for (std::size_t i = 0; i <= threads; ++i) threads_.emplace_back([this] { run(); });
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
    Accounts dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(accounts_);
    for (Ready& ready : ready_) ready.clear();
    waiting_ = 0;
}

Workers::Ticket Workers::post(Owner owner, Task task, Time estimate) {
    Ticket ticket = 0;
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || waiting_ >= tasks_max_) return 0;
        if (accounts_.size() > accounts_kept + 2 * ready_locked()) forget_idle_locked();
        const auto at = accounts_.try_emplace({owner, estimate > short_max}).first;
        Account& account = at->second;
        ticket = ++last_number_;
        account.tasks.push_back({ticket, std::move(task), estimate});
        if (account.tasks.size() == 1) {
            account.used = std::max(account.used, now_);
            try {
                insert_locked(at);
            } catch (...) {
                account.tasks.pop_back();
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
    for (const bool is_long : {false, true}) {
        const auto at = accounts_.find({owner, is_long});
        if (at == accounts_.end()) continue;
        std::deque<Queued>& tasks = at->second.tasks;
        const auto found = std::lower_bound(tasks.begin(), tasks.end(), ticket,
                                            [](const Queued& queued, Ticket t) { return queued.ticket < t; });
        if (found == tasks.end() || found->ticket != ticket) continue;
        dropped = std::move(found->task);
        tasks.erase(found);
        --waiting_;
        if (tasks.empty()) ready_of(at).erase(at->second.key);
        return true;
    }
    return false;
}

std::size_t Workers::waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_;
}

void Workers::insert_locked(Accounts::iterator account) {
    account->second.key = {account->second.finish(), ++last_number_};
    ready_of(account).emplace(account->second.key, account);
}

// Null: no task may begin now.
Workers::Ready* Workers::next_locked() {
    auto& [shorts, longs] = ready_;
    const bool has_place = running_ < running_max_, has_long = has_place && !longs.empty();
    const bool has_short = (has_place || running_ == running_long_) && !shorts.empty();
    if (has_short && (!has_long || shorts.begin()->first < longs.begin()->first)) return &shorts;
    return has_long ? &longs : nullptr;
}

// Moves the account's place in `ready` without allocating, or takes it out if it has no more tasks.
Workers::Accounts::iterator Workers::take_locked(Ready& ready, Task& task) {
    auto place = ready.extract(ready.begin());
    const auto at = place.mapped();
    Account& account = at->second;
    task = std::move(account.tasks.front().task);
    account.tasks.pop_front();
    --waiting_;
    ++running_;
    running_long_ += at->first.second ? 1u : 0u;
    ++account.running;
    if (!account.tasks.empty()) {
        place.key() = account.key = {account.finish(), ++last_number_};
        ready.insert(std::move(place));
    }
    return at;
}

void Workers::finish_locked(Accounts::iterator at, Time took) {
    Account& account = at->second;
    took = std::max(took, least_time);
    account.used += took;
    --account.running;
    --running_;
    running_long_ -= at->first.second ? 1u : 0u;
    // About the number of accounts that have shared the workers.
    now_ += took / static_cast<std::int64_t>(ready_locked() + running_ + (account.tasks.empty() ? 1 : 0));
    if (!account.tasks.empty() && !stopping_) {
        auto place = ready_of(at).extract(account.key);
        place.key() = account.key = {account.finish(), ++last_number_};
        ready_of(at).insert(std::move(place));
    }
    if (running_ != 0 || waiting_ != 0) return;
    accounts_.clear();  // nobody has waited for another
    now_ = Time{0};
}

void Workers::forget_idle_locked() {
    std::erase_if(accounts_, [this](const auto& entry) {
        const Account& account = entry.second;
        return account.tasks.empty() && account.running == 0 && account.used <= now_;
    });
}

void Workers::run() {
    name_thread("sluiced work");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);  // on Linux, affects this thread only
    for (;;) {
        Task task;
        Accounts::iterator account;
        {
            std::unique_lock lock(mutex_);
            Ready* ready = nullptr;
            changed_.wait(lock, [&] { return stopping_ || (ready = next_locked()) != nullptr; });
            if (stopping_) return;
            account = take_locked(*ready, task);
            if (next_locked() != nullptr) changed_.notify_one();  // a short one beside a long one
        }
        const Time begun = clock_();
        try {
            task();
        } catch (const std::exception& error) {
            log_failure("a worker's task failed", error.what());
        }
        task = nullptr;
        const std::lock_guard lock(mutex_);
        finish_locked(account, clock_() - begun);
    }
}

}  // namespace sluice::base
