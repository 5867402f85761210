// Divides work among threads that live as long as the work. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace sluice::simd {

// The number of threads to use if `wanted` are: as many as the processor has for 0.
inline unsigned thread_count(unsigned wanted) {
    return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

// Calls work(t) for t from 1 to `threads`, each on a thread of its own, and meanwhile here(n) on the calling thread,
// with the number of those that have started: fewer where the system has no more threads. Waits for all, and then
// rethrows the exception of the first that threw one. Returns n.
template <class Work, class Here>
std::size_t beside_threads(std::size_t threads, const Work& work, const Here& here) {
    std::exception_ptr failure;
    std::atomic<bool> has_failed = false;
    const auto guarded = [&](const auto& call, std::size_t number) noexcept {
        try {
            call(number);
        } catch (...) {
            if (!has_failed.exchange(true)) failure = std::current_exception();
        }
    };
    std::size_t started = 0;
    {
        std::vector<std::jthread> others;
        try {
            others.reserve(threads);
            for (; started < threads; ++started)
                others.emplace_back([&guarded, &work, thread = started + 1] { guarded(work, thread); });
        } catch (const std::exception&) {  // those that have started do all the work
        }
        guarded(here, started);
    }
    if (failure) std::rethrow_exception(failure);
    return started;
}

// Calls work(t) for t from 0 to threads - 1: work(0) on the calling thread, the others on threads of their own. Where
// the system has no more threads, there are fewer calls, so the calls must take what there is to do from a common
// counter. Waits and rethrows as beside_threads() does. Returns the number of calls.
template <class Work>
std::size_t on_threads(std::size_t threads, const Work& work) {
    return 1 + beside_threads(std::max<std::size_t>(threads, 1) - 1, work, [&](std::size_t) { work(0); });
}

// Calls run(task, stop) once for each task below `tasks`, in order, on up to `threads` threads. If `watch` is not
// empty, the calling thread watches instead of working: it calls watch(share of the work done, from 0 to 1) at least
// once and many times a second, until all have ended. After watch() returned false no further task begins, and those
// that run may end early, since `stop` is then true. Returns whether watch() never did. Rethrows the first exception.
template <class Run>
bool run_tasks(std::size_t tasks, std::size_t threads, const std::function<bool(double share)>& watch, const Run& run) {
    constexpr std::chrono::milliseconds watch_interval{20};
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> stop = false;
    std::mutex mutex;
    std::condition_variable has_ended;
    std::size_t ended = 0;  // threads; guarded by `mutex`
    const auto take_tasks = [&](std::size_t) {
        std::exception_ptr failure;
        try {
            for (std::size_t task = next++; task < tasks && !stop; task = next++) run(task, stop);
        } catch (...) {
            failure = std::current_exception();
            stop = true;
        }
        {
            const std::lock_guard lock(mutex);
            ++ended;
            has_ended.notify_one();
        }
        if (failure) std::rethrow_exception(failure);
    };
    const auto watch_over = [&](std::size_t started) {
        if (started == 0) take_tasks(0);
        std::unique_lock lock(mutex);
        do {
            lock.unlock();
            try {
                const std::size_t begun = std::min(next.load(), tasks + started);
                const double done = begun > started ? static_cast<double>(begun - started) : 0;
                if (!watch(done / static_cast<double>(std::max<std::size_t>(tasks, 1)))) stop = true;
            } catch (...) {
                stop = true;
                throw;
            }
            lock.lock();
        } while (!has_ended.wait_for(lock, watch_interval, [&] { return ended >= started; }));
    };
    if (watch)
        beside_threads(std::min(threads, tasks), take_tasks, watch_over);
    else
        on_threads(std::min(threads, tasks), take_tasks);
    return !stop;
}

}  // namespace sluice::simd
