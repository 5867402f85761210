// Phase 2's data on the device: rows of literal numbers, each the conjunction of its literals, in clusters
// (cluster_layout.hpp). Made by one thread, then immutable; kernels of any stream may read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/cuda/clusters/cluster_layout.hpp"
#include "gpu/device/device.hpp"

namespace sluice::cuda {

// The cluster kernels' view. Units [0, streamed_count) have no access literal and are streamed, clusters of smaller
// rows first; the others are read one by one on demand. Literal numbers have 16 bits if all fit (`narrow`), else 32.
struct ClusterView {
    using Guarded = ClusterLayout::Guarded;
    static constexpr std::uint32_t unit_ids = ClusterLayout::unit_ids, log_unit = ClusterLayout::log_unit;
    static constexpr std::uint32_t task_units = ClusterLayout::task_units;

    const void* ids = nullptr;
    const Guarded* guarded = nullptr;
    const std::uint32_t* targets = nullptr;  // by row: target << 5
    std::uint32_t streamed_count = 0, guarded_count = 0;
    // Streamed rows and tasks of 2^k literals begin here; [log_unit + 1] is the end.
    std::uint32_t streamed_row[log_unit + 2] = {}, streamed_task[log_unit + 2] = {};
    bool narrow = true;
};

class ClusterRows {
public:
    ClusterRows() = default;
    // Literal numbers are below `literals`. Throws CudaError, std::invalid_argument (a literal or target out of range)
    // or std::length_error.
    ClusterRows(std::span<const ClusterRow> rows, std::uint32_t literals);

    const ClusterView& view() const { return view_; }
    std::size_t bytes() const { return ids_.bytes() + guarded_.bytes() + targets_.bytes(); }

private:
    template <class Id>
    void fill(std::span<const ClusterRow> rows, const ClusterLayout& layout);

    ClusterView view_;
    DeviceBuffer<std::byte> ids_;
    DeviceBuffer<ClusterView::Guarded> guarded_;
    DeviceBuffer<std::uint32_t> targets_;
};

}  // namespace sluice::cuda
