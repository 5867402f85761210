// Errors of work that several devices share: each names the device that failed. Callable from any thread.
#pragma once

#include <stdexcept>
#include <string>

#include "gpu/device/device.hpp"

namespace sluice::alignment {

// what() begins with the device: "GPU 1: cudaMalloc of …".
class DeviceError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Calls what() with device `number` current. Rethrows a CudaError as a DeviceError that names the device.
template <class What>
auto on_device(int number, What what) {
    try {
        cuda::check(cudaSetDevice(number), "cudaSetDevice");
        return what();
    } catch (const cuda::CudaError& error) {
        cudaGetLastError();
        throw DeviceError("GPU " + std::to_string(number) + ": " + error.what());
    }
}

}  // namespace sluice::alignment
