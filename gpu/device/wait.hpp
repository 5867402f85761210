// Waits for work on a device, with a limit for threads that must not be blocked by a hung kernel: cudaStreamSynchronize
// has none. Work that has not ended by then is abandoned (abandoned_work.hpp). Any thread, for streams of its current
// device.
#pragma once

#include <atomic>
#include <chrono>
#include <cuda_runtime_api.h>
#include <functional>

namespace sluice::cuda {

// Far longer than any work that the engine gives a device at once. Tests lower it.
inline std::atomic<std::chrono::milliseconds> wait_limit = std::chrono::milliseconds(30'000);

// While it lives, the calling thread's waits have the limit. Other waits have none: a command that computes one long
// alignment waits as long as it takes.
class LimitedWaits {
public:
    LimitedWaits();
    LimitedWaits(const LimitedWaits&) = delete;
    ~LimitedWaits();

private:
    const bool before_;
};

// Waits until the stream's work has ended. Throws CudaError: cudaErrorLaunchTimeout after the limit, and at once if the
// device has abandoned work and the stream's work has not ended.
void wait(cudaStream_t stream);
// The same for short work. may_have_ended() must be quick and may be wrong; while it returns false, the driver, whose
// lock other threads need, is seldom queried.
void wait_spinning(cudaStream_t stream, const std::function<bool()>& may_have_ended);
// The same for long work that ends with the event, in that stream: sleeps from the start, since threads that block in
// the driver are all woken by every batch that ends. 32 of them then match only two thirds as many events.
void wait_asleep(cudaEvent_t end, cudaStream_t stream);
// A copy to or from memory that is not page-locked may block the caller in the driver until the work before it has
// ended. If waits have a limit, waits here for that work instead.
void wait_before_copy(const void* host_memory, cudaStream_t stream);
// As wait(), but ignores errors. Returns whether the work has ended; if not, it is abandoned.
bool drain(cudaStream_t stream) noexcept;

}  // namespace sluice::cuda
