// For tests of device failures: while it lives, calls, identified by the names in their checks (device.hpp), fail a
// given number of times. One at a time; calls may come from any thread.
#pragma once

#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"

namespace sluice::testing {

class FaultPlan {
public:
    static constexpr int always = std::numeric_limits<int>::max();
    struct Fault {
        std::string call;
        cudaError_t error;
        int times;
    };

    explicit FaultPlan(std::vector<Fault> faults) {
        const std::lock_guard lock(plan().mutex);
        plan().faults = std::move(faults);
        cuda::fault_hook = fail_as_planned;
    }
    FaultPlan(std::string call, cudaError_t error, int times)
        : FaultPlan(std::vector<Fault>{{std::move(call), error, times}}) {}
    FaultPlan(const FaultPlan&) = delete;
    ~FaultPlan() {
        cuda::fault_hook = nullptr;
        const std::lock_guard lock(plan().mutex);
        plan().faults.clear();
    }

    bool done() const {
        const std::lock_guard lock(plan().mutex);
        for (const Fault& fault : plan().faults) {
            if (fault.times > 0) return false;
        }
        return true;
    }

private:
    struct Plan {
        std::mutex mutex;
        std::vector<Fault> faults;
    };
    static Plan& plan() {
        static Plan p;
        return p;
    }
    static cudaError_t fail_as_planned(cudaError_t code, const char* what) {
        const std::lock_guard lock(plan().mutex);
        for (Fault& fault : plan().faults) {
            if (fault.times == 0 || fault.call != what) continue;
            --fault.times;
            return fault.error;
        }
        return code;
    }
};

}  // namespace sluice::testing
