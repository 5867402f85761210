// A batch of the mask pipeline in device memory, for tests of its kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/device/device.hpp"
#include "tests/bench/baselines/batch_view.hpp"

namespace sluice::testing {

// A batch packed with room for `more` further events, values and bytes, in device memory.
class PackedBatch {
public:
    PackedBatch(const engine::EventBatch& batch, std::size_t attributes, std::size_t more = 0) {
        const bench::BatchLayout exact(batch, attributes);
        layout_ = bench::BatchLayout(batch.size() + more, exact.values + more, exact.text_bytes + more, attributes);
        std::vector<std::uint64_t> block(layout_.bytes / 8 + 2, 0x5555555555555555u);
        bench::pack(batch, layout_, reinterpret_cast<std::byte*>(block.data()));
        device_ = cuda::to_device(std::span<const std::uint64_t>(block));
    }

    bench::BatchView view() const { return layout_.view(reinterpret_cast<const std::byte*>(device_.data())); }

private:
    bench::BatchLayout layout_;
    cuda::DeviceBuffer<std::uint64_t> device_;
};

}  // namespace sluice::testing
