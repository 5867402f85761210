#include "gpu/device/renewal.hpp"

#include <cstddef>
#include <mutex>

#include "gpu/device/context.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/wait.hpp"

namespace sluice::cuda {

namespace {

// Checks that memory, a stream and a small operation can be had.
void probe() {
    const Stream stream;
    const DeviceBuffer<std::byte> bytes(256);
    check(cudaMemsetAsync(bytes.data(), 0, bytes.bytes(), stream), "probe");
    stream.wait();
}

bool is_usable() {
    try {
        probe();
        return true;
    } catch (const CudaError&) {
        cudaGetLastError();
        return false;
    }
}

}  // namespace

void renew_context(int device) {
    static std::mutex renewing_one;
    const std::lock_guard lock(renewing_one);
    const LimitedWaits limited;
    cudaSetDevice(device);  // which may also report that the context is corrupted
    cudaGetLastError();
    int current = 0;
    check(cudaGetDevice(&current), "cudaGetDevice");
    check(current == device ? cudaSuccess : cudaErrorInvalidDevice, "cudaSetDevice");
    if (is_usable()) return;
    leave_context(device);
    try {
        check(cudaSetDevice(device), "cudaSetDevice");
        probe();
    } catch (const CudaError& error) {
        cudaGetLastError();
        throw CudaError(error.code(), "a new context after a corrupted one, which may need a new process");
    }
}

}  // namespace sluice::cuda
