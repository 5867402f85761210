// The processor time that threads have used. On a busy machine it may be much less than the elapsed time.
#pragma once

#include <algorithm>
#include <chrono>
#include <pthread.h>
#include <thread>
#include <time.h>

namespace sluice::base {

inline std::chrono::nanoseconds time_of_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

inline std::chrono::nanoseconds cpu_time() { return time_of_clock(CLOCK_THREAD_CPUTIME_ID); }

// Of another thread, which must not have been joined.
inline std::chrono::nanoseconds cpu_time_of(std::thread& thread) {
    clockid_t clock{};
    return pthread_getcpuclockid(thread.native_handle(), &clock) == 0 ? time_of_clock(clock)
                                                                      : std::chrono::nanoseconds(0);
}

// Measures the time taken since its construction: CPU time, or a tenth of the elapsed time if that is more, since a
// thread that waits for a GPU uses no CPU time. A time of less than `short_time` is the elapsed one, since asking for
// CPU time is a system call.
class WorkTimer {
public:
    static constexpr std::chrono::milliseconds short_time{1};

    std::chrono::nanoseconds operator()() const {
        const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - begun_;
        if (passed < short_time) return passed;
        return std::max(cpu_time() - processor_begun_, passed / 10);
    }

    // Excludes elapsed time during which the thread only waited.
    void exclude(std::chrono::nanoseconds waited) { begun_ += waited; }

private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
    std::chrono::nanoseconds processor_begun_ = cpu_time();
};

}  // namespace sluice::base
