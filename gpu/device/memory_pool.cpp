#include "gpu/device/memory_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "gpu/device/abandoned_work.hpp"
#include "gpu/device/error.hpp"

namespace sluice::cuda {

namespace {

thread_local MemoryPool* charged = nullptr;

// Whether an allocation leaves the head room. Memory that the pool of the current device holds unused is as good as
// free for what is allocated from it; for simplicity, all is.
bool leaves_head_room(std::size_t bytes, int device) {
    std::size_t available = 0, total = 0;
    check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    cudaMemPool_t pool = nullptr;
    std::uint64_t reserved = 0, used = 0;
    check(cudaDeviceGetDefaultMemPool(&pool, device), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "cudaMemPoolGetAttribute");
    check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "cudaMemPoolGetAttribute");
    const std::size_t unused = reserved - std::min(used, reserved), needed = bytes - std::min(bytes, unused);
    return available >= needed + std::min(MemoryPool::head_room_max, total / 16);
}

}  // namespace

void MemoryPool::claim(std::size_t bytes) {
    if (!leaves_head_room(bytes, device_))
        throw CudaError(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes and head room for batches");
    const std::size_t before = bytes_.fetch_add(bytes);
    if (bytes_max_ == 0 || before + bytes <= bytes_max_) return;
    bytes_ -= bytes;
    throw CudaError(cudaErrorMemoryAllocation, std::to_string(bytes) + " bytes beside " + std::to_string(before) +
                                                   " in use, of " + std::to_string(bytes_max_) + " allowed");
}

void* MemoryPool::allocate(std::size_t bytes, cudaStream_t stream) {
    Claim claimed(*this, bytes);
    void* p = nullptr;
    check(cudaMallocAsync(&p, bytes, stream), "cudaMallocAsync");
    claimed.keep();
    return p;
}

// Any stream will do: every possible reader of the memory has already waited for its kernels, or abandoned them.
void MemoryPool::release(void* p, std::size_t bytes) noexcept {
    if (p == nullptr) return;
    cudaSetDevice(device_);
    release_after_work(device_, p, [](void* memory) { return cudaFreeAsync(memory, cudaStreamPerThread); });
    cudaGetLastError();
    bytes_ -= bytes;
}

Charged::Charged(MemoryPool& memory) { charged = &memory; }
Charged::~Charged() { charged = nullptr; }
MemoryPool* Charged::pool() { return charged; }

}  // namespace sluice::cuda
