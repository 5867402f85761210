#include "gpu/device/abandoned_work.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/device/devices_max.hpp"
#include "gpu/device/error.hpp"
#include "gpu/device/keep_device.hpp"

namespace sluice::cuda {

namespace {

struct Kept {
    void* p;
    cudaError_t (*release)(void*);
};

class AbandonedWork {
public:
    void add(cudaStream_t stream) noexcept {
        const std::lock_guard lock(mutex_);
        any_ = true;
        cudaEvent_t end = nullptr;
        try {
            ends_.reserve(ends_.size() + 1);
            if (cudaEventCreateWithFlags(&end, cudaEventDisableTiming) == cudaSuccess &&
                cudaEventRecord(end, stream) == cudaSuccess) {
                ends_.push_back(end);
                return;
            }
        } catch (const std::bad_alloc&) {
        }
        if (end != nullptr) cudaEventDestroy(end);
        cudaGetLastError();
        is_endless_ = true;
    }

    bool is_running(int device) noexcept {
        if (!any_.load(std::memory_order_relaxed)) return false;
        std::vector<Kept> kept;
        const KeepDevice keep;
        {
            const std::lock_guard lock(mutex_);
            std::erase_if(ends_, [](cudaEvent_t end) {
                if (query(end) == cudaErrorNotReady) return false;
                cudaEventDestroy(end);
                return true;
            });
            cudaGetLastError();
            if (is_endless_ || !ends_.empty()) return true;
            kept.swap(kept_);
            any_ = false;
        }
        cudaSetDevice(device);
        for (const Kept& k : kept) k.release(k.p);
        return false;
    }

    // Returns false if there is no work to wait for.
    bool keep(const Kept& kept) noexcept {
        if (!any_.load(std::memory_order_relaxed)) return false;
        const std::lock_guard lock(mutex_);
        if (!any_) return false;
        try {
            kept_.push_back(kept);
        } catch (const std::bad_alloc&) {  // lost rather than freed while it is in use
        }
        return true;
    }

private:
    static cudaError_t query(cudaEvent_t end) {
        const cudaError_t code = cudaEventQuery(end);
        const FaultHook hook = fault_hook;
        return hook != nullptr ? hook(code, "abandoned work") : code;
    }

    std::atomic<bool> any_ = false;
    std::mutex mutex_;  // guards the following members
    std::vector<cudaEvent_t> ends_;
    bool is_endless_ = false;  // there was work whose end could not be recorded
    std::vector<Kept> kept_;
};

// Never destroyed, since memory may be freed while the program exits. Null: nothing is recorded for the device.
AbandonedWork* work_of(int device) {
    static auto* const all = new std::array<AbandonedWork, devices_max>;
    return is_counted(device) ? &(*all)[static_cast<std::size_t>(device)] : nullptr;
}

}  // namespace

void abandon(cudaStream_t stream) noexcept {
    int device = -1;
    cudaGetDevice(&device);
    if (AbandonedWork* const work = work_of(device)) work->add(stream);
}

bool has_abandoned_work(int device) noexcept {
    AbandonedWork* const work = work_of(device);
    return work != nullptr && work->is_running(device);
}

void release_after_work(int device, void* p, cudaError_t (*release)(void*)) noexcept {
    AbandonedWork* const work = work_of(device);
    if (work == nullptr || !work->keep({p, release})) release(p);
}

}  // namespace sluice::cuda
