#include "gpu/device/transfers.hpp"

#include <array>
#include <atomic>
#include <cuda_runtime_api.h>

#include "gpu/device/devices_max.hpp"

namespace sluice::cuda {

namespace {

struct alignas(64) Counts {  // a cache line for each device
    std::atomic<std::uint64_t> to_device = 0, to_host = 0;
};
std::array<Counts, devices_max> counts_of;

thread_local Transfers* recording = nullptr;

void add(const Transfers& more) noexcept {
    if (recording != nullptr) {
        recording->to_device += more.to_device;
        recording->to_host += more.to_host;
        return;
    }
    int device = 0;
    if (cudaGetDevice(&device) == cudaSuccess) count_transfers(device, more);
}

}  // namespace

Transfers transfers(int device) noexcept {
    if (!is_counted(device)) return {};
    const Counts& counts = counts_of[static_cast<std::size_t>(device)];
    return {counts.to_device.load(std::memory_order_relaxed), counts.to_host.load(std::memory_order_relaxed)};
}

void count_to_device(std::size_t bytes) noexcept { add({bytes, 0}); }
void count_to_host(std::size_t bytes) noexcept { add({0, bytes}); }

void count_transfers(int device, const Transfers& more) noexcept {
    if (!is_counted(device)) return;
    Counts& counts = counts_of[static_cast<std::size_t>(device)];
    if (more.to_device > 0) counts.to_device.fetch_add(more.to_device, std::memory_order_relaxed);
    if (more.to_host > 0) counts.to_host.fetch_add(more.to_host, std::memory_order_relaxed);
}

RecordedTransfers::RecordedTransfers(Transfers& recorded) noexcept { recording = &recorded; }
RecordedTransfers::~RecordedTransfers() { recording = nullptr; }

}  // namespace sluice::cuda
