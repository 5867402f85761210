#include "gpu/device/context.hpp"

#include <array>
#include <atomic>
#include <string>

#include "gpu/device/abandoned_work.hpp"
#include "gpu/device/devices_max.hpp"
#include "gpu/device/error.hpp"
#include "gpu/device/keep_device.hpp"
#include "gpu/device/lasting_error.hpp"

namespace sluice::cuda {

namespace {

constexpr std::size_t renewing = ~(~std::size_t{0} >> 1);  // the highest bit of a count: no new residents

std::array<std::atomic<std::size_t>, devices_max> counts;

void check_work_has_ended(int device) {
    if (has_abandoned_work(device)) throw CudaError(cudaErrorLaunchTimeout, "a device that hangs");
}

}  // namespace

Resident Resident::here() {
    Resident resident;
    int device = nobody;
    const bool known = cudaGetDevice(&device) == cudaSuccess && is_counted(device);
    if (!known) return resident;
    check_work_has_ended(device);
    resident.device_ = device;
    if ((counts[static_cast<std::size_t>(device)]++ & renewing) != 0)
        throw CudaError(cudaErrorDevicesUnavailable, "a context that is being replaced");
    return resident;
}

Resident::~Resident() {
    if (device_ != nobody) --counts[static_cast<std::size_t>(device_)];
}

std::size_t residents(int device) {
    return is_counted(device) ? counts[static_cast<std::size_t>(device)].load() & ~renewing : 0;
}

cudaError_t context_error(int device) noexcept {
    const KeepDevice keep;
    cudaError_t code = cudaSetDevice(device);
    if (code == cudaSuccess) code = cudaStreamQuery(cudaStreamPerThread);
    if (const FaultHook hook = fault_hook) code = hook(code, "context");
    cudaGetLastError();
    return is_lasting(code) ? code : cudaSuccess;
}

void leave_context(int device) {
    check_work_has_ended(device);  // the reset would wait for it
    if (!is_counted(device))
        throw CudaError(cudaErrorDevicesUnavailable, "a new context for device " + std::to_string(device));
    std::atomic<std::size_t>& count = counts[static_cast<std::size_t>(device)];
    std::size_t others = 0;
    if (!count.compare_exchange_strong(others, renewing))
        throw CudaError(cudaErrorDevicesUnavailable,
                        "a new context, with " + std::to_string(others & ~renewing) + " objects still in the old one");
    const cudaError_t code = cudaDeviceReset();
    cudaGetLastError();
    count -= renewing;
    check(code, "cudaDeviceReset");
}

}  // namespace sluice::cuda
