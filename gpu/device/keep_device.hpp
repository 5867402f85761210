// Restores the calling thread's current device on destruction. Any thread; for use inside gpu/.
#pragma once

#include <cuda_runtime_api.h>

namespace sluice::cuda {

class KeepDevice {
public:
    KeepDevice() {
        if (cudaGetDevice(&before_) != cudaSuccess) before_ = 0;
    }
    KeepDevice(const KeepDevice&) = delete;
    ~KeepDevice() {
        cudaSetDevice(before_);
        cudaGetLastError();
    }

private:
    int before_ = 0;
};

}  // namespace sluice::cuda
