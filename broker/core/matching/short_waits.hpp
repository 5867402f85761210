// Whether a thread that has nothing to do looks on for some microseconds before it sleeps. That pays only while work
// often comes so soon, and where another processor can bring it meanwhile: so it is tried now and then, and goes on for
// as long as it succeeds. Used under its owner's lock, except for wait_while().
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace sluice::broker {

class ShortWaits {
public:
    static constexpr std::chrono::microseconds longest{4};  // about what it costs to wake a thread
    static constexpr unsigned tried_every = 16;             // occasions, while it does not succeed

    explicit ShortWaits(bool has_other_processors = std::thread::hardware_concurrency() > 1)
        : has_other_processors_(has_other_processors) {}

    // Whether to wait now: one thread at a time. If so, end() must follow.
    bool may_begin() {
        if (!has_other_processors_ || is_waiting_) return false;
        if (luck_ == 0 && ++occasions_ % tried_every != 0) return false;
        is_waiting_ = true;
        return true;
    }
    bool is_waiting() const { return is_waiting_; }
    void end(bool succeeded) {
        is_waiting_ = false;
        luck_ = succeeded ? std::min(luck_ + 2, luck_max) : luck_ - std::min(luck_, 1u);
    }

    // Without a lock. The test must be cheap.
    template <typename Test>
    static void wait_while(Test test) {
        using Clock = std::chrono::steady_clock;
        for (const auto until = Clock::now() + longest; test() && Clock::now() < until;) pause();
    }

private:
    static constexpr unsigned luck_max = 8;

    static void pause() {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        std::this_thread::yield();
#endif
    }

    const bool has_other_processors_;
    bool is_waiting_ = false;
    unsigned luck_ = 0;
    unsigned occasions_ = 0;
};

}  // namespace sluice::broker
