// For tests of device failures: while it lives, a call, identified by the name in its check (device.hpp), fails a given
// number of times. One at a time; calls may come from any thread.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "gpu/device/device.hpp"

namespace sluice::testing {

class FaultPlan {
public:
    FaultPlan(std::string call, cudaError_t error, int times) {
        const std::lock_guard lock(plan().mutex);
        plan().call = std::move(call);
        plan().error = error;
        plan().times = times;
        cuda::fault_hook = fail_as_planned;
    }
    FaultPlan(const FaultPlan&) = delete;
    ~FaultPlan() {
        cuda::fault_hook = nullptr;
        const std::lock_guard lock(plan().mutex);
        plan().times = 0;
    }

    bool done() const {
        const std::lock_guard lock(plan().mutex);
        return plan().times == 0;
    }

private:
    struct Plan {
        std::mutex mutex;
        std::string call;
        cudaError_t error = cudaSuccess;
        int times = 0;
    };
    static Plan& plan() {
        static Plan p;
        return p;
    }
    static cudaError_t fail_as_planned(cudaError_t code, const char* what) {
        const std::lock_guard lock(plan().mutex);
        if (plan().times == 0 || plan().call != what) return code;
        --plan().times;
        return plan().error;
    }
};

}  // namespace sluice::testing
