// Phase 2's data on the device: rows of literal numbers, each the conjunction of its literals, in clusters of one size
// class (2, 4, … 256 literals, and longer) and one access literal. A warp reads 256 literal numbers at a time (a unit),
// eight a lane: so a unit is 128 rows of 2, 32 rows of 8, two rows of 128, and rows above 8 are split over lanes.
//
// Built once with room to spare; afterwards rows are inserted, removed and replaced in place: insert() and remove()
// note what is to be written, write() enqueues it. Belongs to one thread; kernels of other streams may read it
// meanwhile, if a VersionGate orders them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/cuda/device.hpp"
#include "gpu/cuda/hits.hpp"
#include "gpu/cuda/mask_tables.hpp"

namespace sluice::cuda {

// A conjunction. An empty one always holds. `target` is what a hit names: below Hit::targets_max; or, if `disjunction`,
// the number of a disjunction, whose rows' events are ORed into one hit for its target.
struct ClusterRow {
    std::uint32_t target = 0;
    std::span<const std::uint32_t> literals;
    std::uint32_t access = literal_true;  // rows are skipped where this one is 0; need not be among `literals`, but
                                          // must hold whenever the row does
    bool disjunction = false;
};

// Cluster kernels' view. Units [0, streamed_count) have no access literal and are read in a stream, clusters of smaller
// rows first; the others are asked for one by one. Literal numbers have 16 bits where all fit (`narrow`), else 32.
struct ClusterView {
    static constexpr std::uint32_t unit_ids = 256, log_unit = 8;
    static constexpr std::uint32_t task_units = 4;                  // of one size class, which a warp decides together
    static constexpr std::uint32_t units_max = 1u << 27;            // so that those of 32 words can be counted
    static constexpr std::uint32_t disjunction_flag = 0x80000000u;  // in targets

    struct alignas(16) Guarded {
        std::uint32_t first_row, log_size;  // above 8: one row of 2^(log_size - 8) units
        std::uint32_t unit, access;
    };

    const void* ids = nullptr;
    const Guarded* guarded = nullptr;
    const std::uint32_t* targets = nullptr;  // by row: target << 5, or disjunction << 5 | disjunction_flag
    std::uint32_t* disjunctions = nullptr;   // [w * disjunction_count + d]: the events so far, 0 between batches
    const std::uint32_t* disjunction_targets = nullptr;
    std::uint32_t streamed_count = 0, guarded_count = 0, disjunction_count = 0;
    // Streamed rows and tasks of 2^k literals begin here; [log_unit + 1] is the end.
    std::uint32_t streamed_row[log_unit + 2] = {}, streamed_task[log_unit + 2] = {};
    bool narrow = true;
};

// Writes `count` literal numbers to ids[id …] from from[…], and the row's target.
struct RowWrite {
    std::uint32_t row, target, count, from;
    std::uint64_t id;
};

class ClusterRows {
public:
    struct Options {
        std::uint32_t literals = 0;          // of the mask tables; row literals are below it, also later
        std::uint32_t literals_max = 0;      // if larger: literals that may come later decide how wide numbers are
        double spare = 0;                    // free rows in each cluster, as a share of its rows
        std::uint32_t spare_rows = 0;        // … and at least this many
        std::uint32_t words_max = 32;        // of a batch, for disjunctions
        std::size_t write_bytes = 1u << 20;  // room for one stage(), which grows where it is more (slowly)
        bool order_by_bank = true;           // bank_order.hpp: worth its time for rows that stay
    };

    ClusterRows() = default;
    // Throws CudaError, std::invalid_argument (a literal or target out of range). disjunction_targets[d] is the target
    // of disjunction d.
    ClusterRows(std::span<const ClusterRow> rows, const Options& options,
                std::span<const std::uint32_t> disjunction_targets = {});

    // Where the i-th row of the constructor stands; the handle by which it is removed.
    std::uint32_t slot(std::size_t i) const { return slots_[i]; }

    // The slot of the new row; none if its cluster (size class, access literal) has no free row: then the caller builds
    // anew, or has a second, small ClusterRows beside this one. A slot that remove() has freed is reused after stage().
    std::optional<std::uint32_t> insert(const ClusterRow& row);
    void remove(std::uint32_t slot);
    bool changed() const { return !pending_.empty(); }
    // Enqueues what was inserted and removed since the last call: stage() a copy to the device, which no reader sees,
    // then apply() a kernel, which is what a VersionGate has to enclose. Both into the same stream, always the same
    // one. stage() waits until the previous one's copy has left the staging buffer.
    void stage(cudaStream_t stream);
    void apply(cudaStream_t stream);

    ClusterView view() const;
    std::uint32_t free_rows(std::size_t literals, std::uint32_t access = literal_true) const;
    std::size_t bytes() const;

private:
    struct Cluster {
        std::uint32_t log_size, access, first_row, rows, first_unit;
        std::vector<std::uint32_t> free;  // slots, the next to be used last
    };

    void check_row(const ClusterRow& row) const;
    void lay_out(std::span<const ClusterRow> rows, std::vector<ClusterView::Guarded>& guarded);
    template <class Id>
    void fill(std::span<const ClusterRow> rows);
    std::uint32_t cluster_of(std::uint32_t slot) const;
    static std::size_t id_position(const Cluster& cluster, std::uint32_t slot);

    Options options_;
    bool narrow_ = true;
    std::vector<Cluster> clusters_;                                // ascending by first_row
    std::unordered_map<std::uint64_t, std::uint32_t> cluster_by_;  // access << 8 | log_size
    std::vector<std::uint32_t> slots_;
    std::uint32_t rows_ = 0, units_ = 0, streamed_count_ = 0, guarded_count_ = 0, disjunction_count_ = 0;

    DeviceBuffer<std::byte> ids_;
    DeviceBuffer<ClusterView::Guarded> guarded_;
    DeviceBuffer<std::uint32_t> targets_, disjunctions_, disjunction_targets_;

    std::vector<RowWrite> pending_;
    std::vector<std::uint32_t> pending_ids_;
    std::vector<bool> is_pending_;                                 // by slot
    std::unordered_map<std::uint32_t, std::uint32_t> pending_of_;  // by slot, the first pending_indexed_ of pending_
    std::uint32_t pending_indexed_ = 0;
    std::uint32_t last_cluster_ = 0;    // where the last insert() was
    std::vector<std::uint32_t> freed_;  // slots that become free with the next stage()
    std::uint32_t staged_count_ = 0;
    PinnedBuffer<std::byte> staging_;
    DeviceBuffer<std::byte> staged_;
    std::optional<Event> staging_read_;
};

}  // namespace sluice::cuda
