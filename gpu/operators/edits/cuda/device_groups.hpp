// Patterns of one size on the device, in groups of 32, in the layout of myers_many.hpp. Built once; throws CudaError.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/edits/cuda/myers_many.hpp"

namespace sluice::edits {

class GroupsOnDevice {
public:
    static constexpr std::uint32_t lanes = 32;

    // patterns[i]: symbols, each at least 1 and below `symbols`, at most 32 * words of them. k[i]: the pattern's bound.
    // The slot of patterns[i] is i.
    GroupsOnDevice(std::uint32_t words, std::span<const std::span<const std::uint32_t>> patterns,
                   std::span<const std::uint32_t> k, std::uint32_t symbols, Extent extent);

    std::uint32_t words() const { return words_; }
    // A multiple of 32.
    std::uint32_t slots() const { return static_cast<std::uint32_t>(length_.size()); }
    DeviceGroups view(bool decide) const;

private:
    std::uint32_t words_, symbols_;
    cuda::DeviceBuffer<std::uint32_t> table_, length_, bound_, no_bound_;
    cuda::DeviceBuffer<std::uint64_t> begin_;
    cuda::DeviceBuffer<std::uint16_t> row_of_;
};

}  // namespace sluice::edits
