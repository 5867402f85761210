// Shared by tests of kernels: whether there is a device, and how long to continue.
#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "gpu/device/device.hpp"
#include "tests/support/skip.hpp"

namespace sluice::testing {

// Prints a message if there is no device.
inline bool has_device() {
    if (cuda::device_count() > 0) return true;
    skip("no CUDA device");
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

}  // namespace sluice::testing
