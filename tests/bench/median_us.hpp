// The time that short work takes on a machine that does other things, too.
#pragma once

#include <algorithm>
#include <ctime>
#include <vector>

namespace sluice::bench {

inline double thread_us() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

// Microseconds of processor time: the median of several rounds.
template <class Work>
double median_us(int rounds, const Work& work) {
    std::vector<double> times;
    for (int i = 0; i < rounds; ++i) {
        const double begin = thread_us();
        work();
        times.push_back(thread_us() - begin);
    }
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[static_cast<std::size_t>(rounds / 2)];
}

}  // namespace sluice::bench
