// What tests of kernels share: whether there is a device, how long to go on, and a batch on the device.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "gpu/cuda/batch_view.hpp"
#include "gpu/cuda/device.hpp"

namespace sluice::testing {

// Says so where there is none.
inline bool has_device() {
    if (cuda::device_count() > 0) return true;
    WARN("no CUDA device: skipped");
    return false;
}

// SLUICE_TEST_ROUNDS, or `usual`.
inline std::uint32_t rounds(std::uint32_t usual) {
    const char* const text = std::getenv("SLUICE_TEST_ROUNDS");
    return text == nullptr ? usual : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

// Two devices: the first two, or the first one twice where there is no other.
inline std::vector<int> two_devices() { return {0, cuda::device_count() > 1 ? 1 : 0}; }

// For loops that wait for something.
class Deadline {
public:
    explicit Deadline(std::chrono::seconds patience) : end_(std::chrono::steady_clock::now() + patience) {}
    bool passed() const { return std::chrono::steady_clock::now() > end_; }

private:
    std::chrono::steady_clock::time_point end_;
};

// A batch packed with room for `more` further events, values and bytes, in device memory.
class PackedBatch {
public:
    PackedBatch(const EventBatch& batch, std::size_t attributes, std::size_t more = 0) {
        const BatchLayout exact(batch, attributes);
        layout_ = cuda::BatchLayout(batch.size() + more, exact.values + more, exact.text_bytes + more, attributes);
        std::vector<std::uint64_t> block(layout_.bytes / 8 + 2, 0x5555555555555555u);
        cuda::pack(batch, layout_, reinterpret_cast<std::byte*>(block.data()));
        device_ = cuda::to_device(std::span<const std::uint64_t>(block));
    }

    cuda::BatchView view() const { return layout_.view(reinterpret_cast<const std::byte*>(device_.data())); }

private:
    using BatchLayout = cuda::BatchLayout;
    BatchLayout layout_;
    cuda::DeviceBuffer<std::uint64_t> device_;
};

}  // namespace sluice::testing
