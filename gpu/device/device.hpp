// The common host side of all kernels: memory and streams that free themselves. Owners are move-only and belong to one
// thread at a time. Errors are exceptions (error.hpp).
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <span>
#include <utility>

#include "gpu/device/context.hpp"
#include "gpu/device/error.hpp"
#include "gpu/device/transfers.hpp"
#include "gpu/device/wait.hpp"

namespace sluice::cuda {

// The number of usable devices; 0 without a driver. Never throws.
int device_count() noexcept;

// Memory of the current device; page-locked memory of the host. Freeing takes the number of the device that uses it,
// and does not wait for abandoned work, but keeps the memory for it.
void* allocate_device(std::size_t bytes);
void free_device(void* p, int device) noexcept;
void* allocate_pinned(std::size_t bytes);
void free_pinned(void* p, int device) noexcept;

// size() elements of T, uninitialised. An empty buffer has no memory.
template <class T, void* (*Allocate)(std::size_t), void (*Free)(void*, int) noexcept>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size)
        : resident_(size == 0 ? Resident() : Resident::here()),
          data_(size == 0 ? nullptr : static_cast<T*>(Allocate(size * sizeof(T)))),
          size_(size) {}
    Buffer(Buffer&& other) noexcept
        : resident_(std::move(other.resident_)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        std::swap(resident_, other.resident_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~Buffer() { Free(data_, resident_.device()); }

    // Makes room for `size` elements; the content is lost if the buffer grows.
    void reserve(std::size_t size) {
        if (size > size_) *this = Buffer(size);
    }

    T* data() const { return data_; }
    std::size_t size() const { return size_; }
    std::size_t bytes() const { return size_ * sizeof(T); }
    T* begin() const { return data_; }
    T* end() const { return data_ + size_; }
    T& operator[](std::size_t i) const { return data_[i]; }  // pinned memory only

private:
    Resident resident_;  // before the resource that it counts, here and below
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <class T>
using DeviceBuffer = Buffer<T, allocate_device, free_device>;
// Page-locked host memory, whose copies can overlap with kernels.
template <class T>
using PinnedBuffer = Buffer<T, allocate_pinned, free_pinned>;

// Copies from and to page-locked memory, which never block; may be part of a graph. All copies here are counted
// (transfers.hpp).
template <class T>
void copy_from_pinned(T* to, std::span<const T> from, cudaStream_t stream) {
    if (from.empty()) return;
    check(cudaMemcpyAsync(to, from.data(), from.size_bytes(), cudaMemcpyHostToDevice, stream), "copy to device");
    count_to_device(from.size_bytes());
}
template <class T>
void copy_to_pinned(std::span<T> to, const T* from, cudaStream_t stream) {
    check(cudaMemcpyAsync(to.data(), from, to.size_bytes(), cudaMemcpyDeviceToHost, stream), "copy to host");
    count_to_host(to.size_bytes());
}
// The same for any memory of the host.
template <class T>
void copy_to_device(T* to, std::span<const T> from, cudaStream_t stream) {
    if (from.empty()) return;
    wait_before_copy(from.data(), stream);
    copy_from_pinned(to, from, stream);
}
template <class T>
void copy_to_host(std::span<T> to, const T* from, cudaStream_t stream) {
    if (to.empty()) return;
    wait_before_copy(to.data(), stream);
    copy_to_pinned(to, from, stream);
}
// Copies `from` to the beginning of `to`, which grows if needed; complete when the call returns.
template <class T>
void upload(DeviceBuffer<T>& to, std::span<const T> from) {
    to.reserve(from.size());
    if (from.empty()) return;
    check(cudaMemcpy(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice), "copy to device");
    // cudaMemcpy may return once `from` has been read, and non-blocking streams would not wait for the rest.
    wait(nullptr);
    count_to_device(from.size_bytes());
}
template <class T>
DeviceBuffer<T> to_device(std::span<const T> from) {
    DeviceBuffer<T> to;
    upload(to, from);
    return to;
}

class Stream {
public:
    Stream();
    Stream(Stream&& other) noexcept
        : resident_(std::move(other.resident_)), stream_(std::exchange(other.stream_, nullptr)) {}
    Stream& operator=(Stream&& other) noexcept {
        std::swap(resident_, other.resident_);
        std::swap(stream_, other.stream_);
        return *this;
    }
    ~Stream();

    operator cudaStream_t() const { return stream_; }
    void wait() const { cuda::wait(stream_); }

private:
    Resident resident_ = Resident::here();
    cudaStream_t stream_ = nullptr;
};

class Event {
public:
    explicit Event(unsigned flags = cudaEventDisableTiming);
    Event(Event&& other) noexcept
        : resident_(std::move(other.resident_)), event_(std::exchange(other.event_, nullptr)) {}
    Event& operator=(Event&& other) noexcept {
        std::swap(resident_, other.resident_);
        std::swap(event_, other.event_);
        return *this;
    }
    ~Event();

    operator cudaEvent_t() const { return event_; }
    void record(cudaStream_t stream) const { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }

private:
    Resident resident_ = Resident::here();
    cudaEvent_t event_ = nullptr;
};

}  // namespace sluice::cuda
