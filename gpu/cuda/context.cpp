#include "gpu/cuda/context.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "gpu/cuda/device.hpp"

namespace sluice::cuda {

namespace {

constexpr std::size_t devices_max = 64;  // those beyond it are never renewed

std::array<std::atomic<std::size_t>, devices_max> counts;
std::shared_mutex renewing;  // held by all who move in, and alone by who makes the context anew

bool is_counted(int device) { return device >= 0 && static_cast<std::size_t>(device) < devices_max; }

// Whether memory, a stream and a kernel's worth of work can be had.
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

Resident Resident::here() {
    Resident resident;
    int device = nobody;
    const bool known = cudaGetDevice(&device) == cudaSuccess && is_counted(device);
    if (!known) return resident;
    const std::shared_lock lock(renewing);
    resident.device_ = device;
    ++counts[static_cast<std::size_t>(device)];
    return resident;
}

Resident::~Resident() {
    if (device_ != nobody) --counts[static_cast<std::size_t>(device_)];
}

std::size_t residents(int device) { return is_counted(device) ? counts[static_cast<std::size_t>(device)].load() : 0; }

void renew_context(int device) {
    cudaSetDevice(device);  // which may say, too, that the context is spoiled
    cudaGetLastError();
    int current = 0;
    check(cudaGetDevice(&current), "cudaGetDevice");
    check(current == device ? cudaSuccess : cudaErrorInvalidDevice, "cudaSetDevice");
    if (is_usable()) return;
    {
        const std::unique_lock lock(renewing);
        if (const std::size_t others = residents(device); !is_counted(device) || others > 0)
            throw CudaError(cudaErrorDevicesUnavailable,
                            "a new context, with " + std::to_string(others) + " objects still in the old one");
        check(cudaDeviceReset(), "cudaDeviceReset");
        cudaGetLastError();
    }
    check(cudaSetDevice(device), "cudaSetDevice");
    probe();
}

}  // namespace sluice::cuda
