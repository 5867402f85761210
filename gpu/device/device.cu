#include <mutex>
#include <optional>
#include <unordered_map>

#include "gpu/device/abandoned_work.hpp"
#include "gpu/device/device.hpp"
#include "gpu/device/memory_pool.hpp"
#include "gpu/device/processor.hpp"

namespace sluice::cuda {

namespace {

// The claims on pools of the memory allocated while they were charged, by address. Never destroyed, since memory may be
// freed while the program exits.
struct Claims {
    std::mutex mutex;
    std::unordered_map<void*, Claim> of;
};
Claims& claims() {
    static auto* const all = new Claims;
    return *all;
}

}  // namespace

int device_count() noexcept {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

std::string why_no_gpu() { return device_count() > 0 ? "" : "there is no GPU that CUDA can use"; }

void* allocate_device(std::size_t bytes) {
    std::optional<Claim> claim;
    if (MemoryPool* const pool = Charged::pool()) claim.emplace(*pool, bytes);
    void* p = nullptr;
    cudaError_t code = cudaMalloc(&p, bytes);
    if (const FaultHook hook = fault_hook) code = hook(code, "cudaMalloc");
    if (code != cudaSuccess) {
        if (p != nullptr) cudaFree(p);
        cudaGetLastError();  // clear it: it is reported here, not by the next launch
        throw CudaError(code, "cudaMalloc of " + std::to_string(bytes) + " bytes");
    }
    if (!claim) return p;
    try {
        const std::lock_guard lock(claims().mutex);
        claims().of.insert_or_assign(p, std::move(*claim));
    } catch (...) {
        cudaFree(p);
        throw;
    }
    return p;
}

void free_device(void* p, int device) noexcept {
    if (p == nullptr) return;
    {
        const std::lock_guard lock(claims().mutex);
        claims().of.erase(p);
    }
    release_after_work(device, p, cudaFree);
}

void* allocate_pinned(std::size_t bytes) {
    void* p = nullptr;
    cudaError_t code = cudaMallocHost(&p, bytes);
    if (const FaultHook hook = fault_hook) code = hook(code, "cudaMallocHost");
    if (code != cudaSuccess) {
        if (p != nullptr) cudaFreeHost(p);
        cudaGetLastError();
        throw CudaError(code, "cudaMallocHost of " + std::to_string(bytes) + " bytes");
    }
    return p;
}

void free_pinned(void* p, int device) noexcept {
    if (p != nullptr) release_after_work(device, p, cudaFreeHost);
}

Stream::Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
Stream::~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Event::Event(unsigned flags) { check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreate"); }
Event::~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
}

}  // namespace sluice::cuda
