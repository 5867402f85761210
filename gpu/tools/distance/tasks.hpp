// Runs independent pieces of work on several threads while the calling thread watches, for tools. Any thread may call.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sluice::edits {

// Called on the calling thread, at least once and many times a second, with the share of the work done, from 0 to 1.
// Returns whether to continue.
using Watch = std::function<bool(double share)>;

// The number of threads to use if `wanted` are: as many as the processor has for 0.
unsigned thread_count(unsigned wanted);

// Calls run(task, stop) once for each task below `tasks`, on up to `threads` threads, in order. After `watch` returned
// false no further task begins, and those that run may end early, since `stop` is then true; `watch` is called until
// they have. Returns whether all were run. Rethrows the first exception of a task.
bool run_tasks(std::size_t tasks, unsigned threads, const Watch& watch,
               const std::function<void(std::size_t task, const std::atomic<bool>& stop)>& run);

// Makes `least` the smaller of itself and `distance`, which tasks may do at the same time.
inline void lower(std::uint32_t& least, std::uint32_t distance) {
    const std::atomic_ref<std::uint32_t> shared(least);
    std::uint32_t old = shared.load(std::memory_order_relaxed);
    while (distance < old && !shared.compare_exchange_weak(old, distance, std::memory_order_relaxed)) continue;
}

}  // namespace sluice::edits
