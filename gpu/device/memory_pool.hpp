// Counts the memory of a device's arenas and other owners, refuses requests over its limit, and leaves head room for
// batches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <utility>

namespace sluice::cuda {

// Any thread. Allocates from CUDA's pool of the current device, which does not wait for running kernels.
class MemoryPool {
public:
    // The device's memory that is left for what is not counted here, such as the slots of batches: this much, or a
    // sixteenth of a small device's.
    static constexpr std::size_t head_room_max = std::size_t{256} << 20;

    explicit MemoryPool(int device = 0, std::size_t bytes_max = 0) : device_(device), bytes_max_(bytes_max) {}

    // Throws CudaError: cudaErrorMemoryAllocation over the limit, or if too little head room would be left.
    void* allocate(std::size_t bytes, cudaStream_t stream);
    void release(void* p, std::size_t bytes) noexcept;
    // Counts memory that is about to be allocated elsewhere on the current device, or throws as above.
    void claim(std::size_t bytes);
    // Releases a claim() when that memory has been freed.
    void give_up(std::size_t bytes) noexcept { bytes_ -= bytes; }
    std::size_t bytes() const { return bytes_; }

private:
    int device_;
    std::size_t bytes_max_;  // 0: no limit
    std::atomic<std::size_t> bytes_ = 0;
};

// A share of a pool's limit, for memory that is allocated elsewhere.
class Claim {
public:
    Claim() = default;
    Claim(MemoryPool& memory, std::size_t bytes) : memory_(&memory), bytes_(bytes) { memory.claim(bytes); }
    Claim(Claim&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}
    Claim& operator=(Claim&& other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Claim() {
        if (memory_ != nullptr) memory_->give_up(bytes_);
    }
    void keep() { memory_ = nullptr; }  // the caller must call give_up()

private:
    MemoryPool* memory_ = nullptr;
    std::size_t bytes_ = 0;
};

// While it lives, the calling thread's allocate_device() allocations are charged to the pool until they are freed;
// allocations over the pool's limit are refused.
class Charged {
public:
    explicit Charged(MemoryPool& memory);
    Charged(const Charged&) = delete;
    ~Charged();

    // The pool to which the calling thread's allocations are charged, or null.
    static MemoryPool* pool();
};

}  // namespace sluice::cuda
