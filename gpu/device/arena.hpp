// One block of device memory for many arrays, laid out and filled by the host: an ArenaLayout collects arrays, an
// Uploader copies them piece by piece through pinned memory on its own stream, without holding up matching, and the
// Arena owns the block. A MemoryPool counts the memory of a device's arenas, refuses requests over its limit, and
// leaves head room for batches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "gpu/device/device.hpp"

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
};

// One thread at a time.
class Uploader {
public:
    Uploader();
    cudaStream_t stream() const { return stream_; }
    void copy(std::byte* to, const void* from, std::size_t bytes);
    void wait() const { stream_.wait(); }

    // Waits on destruction for the work in the stream, so that the memory that it uses, which must be freed later, can
    // be freed even after an exception.
    class Drain {
    public:
        explicit Drain(const Uploader& uploader) : uploader_(uploader) {}
        Drain(const Drain&) = delete;
        ~Drain() { drain(uploader_.stream()); }

    private:
        const Uploader& uploader_;
    };

private:
    static constexpr std::size_t piece_bytes = 1u << 20;
    Stream stream_;
    PinnedBuffer<std::byte> pieces_{2 * piece_bytes};
    Event read_[2];
    bool used_[2] = {};
    int next_ = 0;
};

class Arena;

class ArenaLayout {
public:
    // Adds an array. *to is set when the arena is built; `from` must live until then.
    template <class T>
    void add(std::span<const T> from, const T** to) {
        add(from.data(), from.size_bytes(), [to](std::byte* at) { *to = reinterpret_cast<const T*>(at); });
    }
    // The same for an array that the layout keeps.
    template <class T>
    void add(std::vector<T>&& from, const T** to) {
        auto kept = std::make_shared<std::vector<T>>(std::move(from));
        add(kept->data(), kept->size() * sizeof(T),
            [to, kept](std::byte* at) { *to = reinterpret_cast<const T*>(at); });
    }

private:
    friend class Arena;
    struct Piece {
        const void* from;
        std::size_t bytes, offset;
        std::function<void(std::byte*)> place;
    };
    void add(const void* from, std::size_t bytes, std::function<void(std::byte*)> place);

    std::vector<Piece> pieces_;
    std::size_t bytes_ = 0;
};

class Arena {
public:
    Arena() = default;
    // Copies the arrays, and waits for that.
    Arena(const ArenaLayout& layout, MemoryPool& memory, Uploader& uploader);
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&& other) noexcept;
    ~Arena();

    std::size_t bytes() const { return bytes_; }

private:
    Arena(std::size_t bytes, MemoryPool& memory, cudaStream_t stream);

    Resident resident_;
    MemoryPool* memory_ = nullptr;
    std::byte* block_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace sluice::cuda
