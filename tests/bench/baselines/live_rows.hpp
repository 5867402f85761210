// Rows of literal numbers that change in place on the device: a comparison for the engine, whose rows are immutable and
// whose changes make new segments. Built once with spare room; afterwards insert() and remove() record changes, and
// stage() and apply() enqueue them. Belongs to one thread; kernels of other streams may read it meanwhile, if a
// VersionGate orders them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/cuda/clusters/cluster_rows.hpp"

namespace sluice::bench {

// Writes `count` literal numbers to ids[id …] from from[…], and the row's target.
struct RowWrite {
    std::uint32_t row, target, count, from;
    std::uint64_t id;
};

class LiveRows {
public:
    // Each cluster has room for at least `spare_rows` more rows. Literal numbers are below `literals`, later ones too.
    // Throws the exceptions of ClusterRows.
    LiveRows(std::span<const cuda::ClusterRow> rows, std::uint32_t literals, std::uint32_t spare_rows);

    // The slot of the constructor's i-th row: the handle for remove().
    std::uint32_t slot(std::size_t i) const { return layout_.slot(i); }

    // Returns the slot of the new row; none if its cluster (size class, access literal) has no free row. A slot freed
    // by remove() is reused after stage(). The row must be one that the constructor would accept.
    std::optional<std::uint32_t> insert(const cuda::ClusterRow& row);
    void remove(std::uint32_t slot);
    // Enqueue the insertions and removals since the last call: stage() a copy to the device, which no reader sees, then
    // apply() a kernel, which a VersionGate must enclose. Both always use the same stream. stage() waits until the
    // previous copy has left the staging buffer.
    void stage(cudaStream_t stream);
    void apply(cudaStream_t stream);

    const cuda::ClusterView& view() const { return rows_.view(); }
    std::size_t free_rows(std::size_t literals, std::uint32_t access = cuda::literal_true) const;

private:
    static std::uint64_t cluster_key(std::size_t literals, std::uint32_t access);
    static std::uint64_t key_of(const cuda::ClusterLayout::Cluster& cluster);
    void free_slot(std::uint32_t slot) { free_[key_of(layout_.cluster_of(slot))].push_back(slot); }

    cuda::ClusterLayout layout_;
    cuda::ClusterRows rows_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> free_;  // by cluster: free slots, used from the end

    std::vector<RowWrite> pending_;
    std::vector<std::uint32_t> pending_ids_;
    std::unordered_map<std::uint32_t, std::size_t> pending_of_;  // by slot: its pending insertion
    std::vector<std::uint32_t> freed_;                           // slots that become free with the next stage()
    std::uint32_t staged_count_ = 0;
    cuda::PinnedBuffer<std::byte> staging_;
    cuda::DeviceBuffer<std::byte> staged_;
    std::optional<cuda::Event> staging_read_;
};

}  // namespace sluice::bench
