// For tests of work that hangs: a kernel that occupies every multiprocessor of the current device, so that no other
// kernel starts.
#pragma once

#include <cuda_runtime_api.h>

namespace sluice::testing {

// Enqueues a kernel that does nothing.
void enqueue_kernel(cudaStream_t stream);

class OccupiedDevice {
public:
    OccupiedDevice();
    OccupiedDevice(const OccupiedDevice&) = delete;
    ~OccupiedDevice();

    // Lets the kernel end.
    void release();
    // Whether it has ended by itself, after a minute: something has waited for it.
    bool has_given_up() const;

private:
    struct State;
    State* const state_;
};

}  // namespace sluice::testing
