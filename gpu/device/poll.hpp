// Polls for the end of work on a device: spins at first, since most work ends within a millisecond, then sleeps between
// the queries for a small share of the time waited so far. Independent of CUDA. Any thread.
#pragma once

#include <algorithm>
#include <chrono>

namespace sluice::cuda {

struct Polling {
    std::chrono::nanoseconds spin{std::chrono::milliseconds(1)};
    std::chrono::nanoseconds nap_min{std::chrono::microseconds(30)}, nap_max{std::chrono::milliseconds(1)};
    int nap_share = 32;  // a nap lasts this fraction of the time waited, between the two bounds
};

// Calls is_done(), at least once, until it returns true; returns false if it has not when the limit has passed. The
// clock has pause(), a short wait that keeps the core, and sleep(), in addition to now().
template <class Clock, class IsDone>
bool poll(Clock& clock, std::chrono::nanoseconds limit, const Polling& polling, IsDone is_done) {
    const auto begin = clock.now();
    for (;;) {
        if (is_done()) return true;
        const std::chrono::nanoseconds waited = clock.now() - begin;
        if (waited >= limit) return false;
        if (waited < polling.spin)
            clock.pause();
        else
            clock.sleep(std::clamp(waited / polling.nap_share, polling.nap_min, polling.nap_max));
    }
}

}  // namespace sluice::cuda
