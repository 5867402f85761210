// Ends the process if it has not ended in time, whatever its threads are doing. Created and armed by the main thread.
// Its own thread runs from the start, because starting one may fail when it is needed.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sluice::base {

class Watchdog {
public:
    using Clock = std::chrono::steady_clock;

    explicit Watchdog(int exit_status);
    ~Watchdog();  // disarms it
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // At the deadline, calls `last_words`, which has a second to report what is still running. Then the process ends
    // without cleaning up.
    void arm(Clock::time_point deadline, std::function<void()> last_words);
    // Replaces the last words. Afterwards nothing that the former ones refer to is accessed.
    void replace_last_words(std::function<void()> last_words);

private:
    void run();

    const int exit_status_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Clock::time_point deadline_ = Clock::time_point::max();
    std::function<void()> last_words_;
    bool called_off_ = false;
    std::thread thread_;
};

}  // namespace sluice::base
