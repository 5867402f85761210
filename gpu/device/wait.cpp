#include "gpu/device/wait.hpp"

#include <sys/prctl.h>
#include <thread>
#include <utility>

#include "gpu/device/abandoned_work.hpp"
#include "gpu/device/error.hpp"
#include "gpu/device/poll.hpp"

namespace sluice::cuda {

namespace {

using std::chrono::nanoseconds;

thread_local bool limited = false;

struct SteadyClock {
    static std::chrono::steady_clock::time_point now() { return std::chrono::steady_clock::now(); }
    static void pause() {
#ifdef __x86_64__
        __builtin_ia32_pause();
#else
        std::this_thread::yield();
#endif
    }
    static void sleep(nanoseconds duration) {
        thread_local const int exact = prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds; else a nap takes 50 us more
        static_cast<void>(exact);
        std::this_thread::sleep_for(duration);
    }
};

nanoseconds limit() {
    if (!limited) return nanoseconds::max();
    int device = 0;
    if (cudaGetDevice(&device) == cudaSuccess && has_abandoned_work(device)) return {};
    return wait_limit.load();
}

// Throws CudaError, except for "not ready".
bool has_ended(cudaError_t code, const char* what) {
    if (const FaultHook hook = fault_hook.load(std::memory_order_relaxed)) code = hook(code, what);
    if (code != cudaErrorNotReady && code != cudaSuccess) throw CudaError(code, what);
    return code == cudaSuccess;
}

// query() decides; is_done() need not call it each time.
template <class IsDone, class Query>
void poll_for(cudaStream_t stream, const Polling& polling, IsDone is_done, Query query) {
    SteadyClock clock;
    const nanoseconds at_most = limit();
    const bool ended = poll(clock, at_most, polling, is_done) || query();
    cudaGetLastError();  // "not ready" counts as an error
    if (ended) return;
    abandon(stream);
    throw CudaError(cudaErrorLaunchTimeout, at_most == nanoseconds{} ? "a device that hangs" : "work that hangs");
}

}  // namespace

LimitedWaits::LimitedWaits() : before_(limited) { limited = true; }
LimitedWaits::~LimitedWaits() { limited = before_; }

void wait(cudaStream_t stream) {
    if (!limited) return check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const auto query = [stream] { return has_ended(cudaStreamQuery(stream), "cudaStreamQuery"); };
    poll_for(stream, {}, query, query);
}

void wait_spinning(cudaStream_t stream, const std::function<bool()>& may_have_ended) {
    constexpr unsigned query_every = 512;  // so that an error is seen, after which nothing else would change
    unsigned asked = 0;
    const auto query = [stream] { return has_ended(cudaStreamQuery(stream), "cudaStreamQuery"); };
    poll_for(
        stream, {}, [&] { return (++asked % query_every == 0 || may_have_ended()) && query(); }, query);
}

void wait_asleep(cudaEvent_t end, cudaStream_t stream) {
    Polling asleep;
    asleep.spin = {};
    const auto query = [end] { return has_ended(cudaEventQuery(end), "cudaEventQuery"); };
    bool has_slept = false;  // the first query would come too early
    poll_for(
        stream, asleep, [&] { return std::exchange(has_slept, true) && query(); }, query);
}

void wait_before_copy(const void* host_memory, cudaStream_t stream) {
    if (!limited) return;
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, host_memory) == cudaSuccess && attributes.type == cudaMemoryTypeHost)
        return;
    cudaGetLastError();
    wait(stream);
}

bool drain(cudaStream_t stream) noexcept {
    try {
        wait(stream);
        return true;
    } catch (const CudaError& error) {
        cudaGetLastError();
        return error.code() != cudaErrorLaunchTimeout;
    } catch (...) {
        return false;
    }
}

}  // namespace sluice::cuda
