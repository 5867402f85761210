#include "broker/base/watchdog.hpp"

#include <atomic>
#include <csignal>
#include <unistd.h>
#include <utility>

#include "broker/base/thread_name.hpp"

namespace sluice::base {

namespace {

std::atomic<int> status_of_alarm{1};

}  // namespace

Watchdog::Watchdog(int exit_status) : exit_status_(exit_status), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        called_off_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Watchdog::arm(Clock::time_point deadline, std::function<void()> last_words) {
    const std::lock_guard lock(mutex_);
    deadline_ = deadline;
    last_words_ = std::move(last_words);
    changed_.notify_all();
}

void Watchdog::replace_last_words(std::function<void()> last_words) {
    const std::lock_guard lock(mutex_);
    last_words_ = std::move(last_words);
}

void Watchdog::run() {
    name_thread("sluiced watch");
    std::unique_lock lock(mutex_);
    while (!called_off_ && Clock::now() < deadline_) {
        if (deadline_ == Clock::time_point::max())
            changed_.wait(lock);  // wait_until() can't wait for a deadline that far away
        else
            changed_.wait_until(lock, deadline_);
    }
    if (called_off_) return;
    // The last words may block too, on a held lock or an unread log.
    status_of_alarm = exit_status_;
    std::signal(SIGALRM, [](int) { _exit(status_of_alarm); });
    alarm(1);
    try {
        if (last_words_) last_words_();
    } catch (...) {  // without memory there are none
    }
    _exit(exit_status_);
}

}  // namespace sluice::base
