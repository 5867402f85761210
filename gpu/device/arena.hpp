// One block of device memory for many arrays, laid out and filled by the host: an ArenaLayout collects arrays, an
// Uploader copies them piece by piece through pinned memory on its own stream, without holding up matching, and the
// Arena owns the block, which comes from a MemoryPool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/device/memory_pool.hpp"

namespace sluice::cuda {

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
