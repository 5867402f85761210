// Posts a function to an I/O thread without allocating: for wake-ups from other threads, which must not fail. The
// memory is reserved beforehand. While a post is pending, further posts are dropped.
#pragma once

#include <atomic>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstddef>
#include <new>
#include <utility>

namespace sluice::server {

class PostMemory {
public:
    static constexpr std::size_t bytes = 256;

    // Returns false if a post is pending.
    bool begin() { return !pending_.test_and_set(std::memory_order_acq_rel); }

    void* take(std::size_t size) { return size <= bytes ? storage_ : ::operator new(size); }
    // Called just before the function runs.
    void give_back(void* memory) noexcept {
        if (memory != storage_) ::operator delete(memory);
        pending_.clear(std::memory_order_release);
    }

private:
    alignas(std::max_align_t) std::byte storage_[bytes];
    std::atomic_flag pending_;
};

template <typename T>
struct PostAllocator {
    using value_type = T;

    explicit PostAllocator(PostMemory& from) : memory(&from) {}
    template <typename Other>
    PostAllocator(const PostAllocator<Other>& other) : memory(other.memory) {}  // implicit, as allocators require

    T* allocate(std::size_t n) { return static_cast<T*>(memory->take(n * sizeof(T))); }
    void deallocate(T* at, std::size_t) { memory->give_back(at); }
    bool operator==(const PostAllocator&) const = default;

    PostMemory* memory;
};

// The function must keep `memory` alive. The executor must be an io_context's.
template <typename Function>
void post_reserved(const boost::asio::any_io_executor& executor, PostMemory& memory, Function function) {
    namespace asio = boost::asio;
    const auto* io = executor.target<asio::io_context::executor_type>();
    if (memory.begin()) asio::post(*io, asio::bind_allocator(PostAllocator<void*>(memory), std::move(function)));
}

}  // namespace sluice::server
