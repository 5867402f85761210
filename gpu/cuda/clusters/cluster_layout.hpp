// The placement of rows of literal numbers on the device. Rows of one size class (2, 4, … 256 literals, and longer) and
// one access literal form a cluster, which is cut into units of 256 numbers. A warp reads a unit at a time, eight
// numbers per lane. A unit is 128 rows of 2, 32 rows of 8, or two rows of 128; rows above 8 are split over lanes, rows
// above 256 take several units. Host only; a plain value once made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::cuda {

constexpr std::uint32_t literal_true = 0, literal_false = 1;

// A conjunction; an empty one always holds. A hit names it by `target`, which is below Hit::targets_max.
struct ClusterRow {
    std::uint32_t target = 0;
    std::span<const std::uint32_t> literals;
    std::uint32_t access = literal_true;  // the row is skipped if it is 0. It need not be among `literals`, but
                                          // must hold whenever the row does
};

class ClusterLayout {
public:
    static constexpr std::uint32_t unit_ids = 256, log_unit = 8;
    static constexpr std::uint32_t task_units = 4;              // units of one size class that a warp decides together
    static constexpr std::uint32_t units_max = (1u << 27) - 1;  // so that the units of 32 words can be counted

    // Rows [first_row, first_row + rows) of 2^log_size numbers. A whole number of units, so there may be more rows than
    // requested.
    struct Cluster {
        std::uint32_t log_size, access, first_row, rows, first_unit;

        bool streamed() const { return access == literal_true && log_size <= log_unit; }
        std::uint32_t units() const;
    };
    // A unit, or a row of several units, that is read only if its access literal holds for some event.
    struct alignas(16) Guarded {
        std::uint32_t first_row, log_size;  // above 8: one row of 2^(log_size - 8) units
        std::uint32_t unit, access;
    };

    ClusterLayout() = default;
    // Streamed clusters come first; among them, those of smaller rows. Throws std::length_error.
    explicit ClusterLayout(std::span<const ClusterRow> rows);

    static std::uint32_t log_size_of(std::size_t literals);
    static std::uint32_t rows_per_unit(std::uint32_t log_size);

    // The slot of the i-th row.
    std::uint32_t slot(std::size_t i) const { return slots_[i]; }
    const Cluster& cluster_of(std::uint32_t slot) const;
    // The position of a slot's first number; the row's other numbers follow it.
    std::size_t id_position(std::uint32_t slot) const;

    const std::vector<Cluster>& clusters() const { return clusters_; }  // ascending by first_row
    const std::vector<Guarded>& guarded() const { return guarded_; }
    std::uint32_t rows() const { return rows_; }
    std::uint32_t units() const { return units_; }
    std::uint32_t streamed_units() const { return streamed_units_; }

private:
    void add_cluster(std::span<const ClusterRow> rows, std::span<std::uint32_t> order);

    std::vector<Cluster> clusters_;
    std::vector<Guarded> guarded_;
    std::vector<std::uint32_t> slots_;
    std::uint32_t rows_ = 0, units_ = 0, streamed_units_ = 0;
};

}  // namespace sluice::cuda
