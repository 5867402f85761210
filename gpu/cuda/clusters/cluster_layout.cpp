#include "gpu/cuda/clusters/cluster_layout.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "gpu/cuda/clusters/bank_order.hpp"

namespace sluice::cuda {

namespace {

constexpr std::uint32_t log_unit = ClusterLayout::log_unit;

std::uint32_t units_per_row(std::uint32_t log_size) { return 1u << (std::max(log_size, log_unit) - log_unit); }

std::size_t round_up(std::size_t n, std::size_t whole) { return (n + whole - 1) / whole * whole; }

// The row's first two literals, padded with the one that always holds.
FirstIds first_ids(const ClusterRow& row) {
    FirstIds ids{literal_true, literal_true};
    std::copy_n(row.literals.begin(), std::min<std::size_t>(row.literals.size(), 2), ids.begin());
    return in_bank_order(ids);
}

// Orders streamed rows of up to four literals.
void order_for_banks(std::span<const ClusterRow> rows, std::span<std::uint32_t> order) {
    std::vector<FirstIds> firsts;
    for (const std::uint32_t i : order) firsts.push_back(first_ids(rows[i]));
    std::vector<std::uint32_t> ordered;
    for (const std::uint32_t at : order_rows_by_bank(firsts)) ordered.push_back(order[at]);
    std::copy(ordered.begin(), ordered.end(), order.begin());
}

}  // namespace

std::uint32_t ClusterLayout::log_size_of(std::size_t literals) {
    return literals <= 2 ? 1 : static_cast<std::uint32_t>(std::bit_width(literals - 1));
}

std::uint32_t ClusterLayout::rows_per_unit(std::uint32_t log_size) {
    return 1u << (log_unit - std::min(log_size, log_unit));
}

std::uint32_t ClusterLayout::Cluster::units() const { return rows / rows_per_unit(log_size) * units_per_row(log_size); }

// Within a cluster, rows keep their order.
ClusterLayout::ClusterLayout(std::span<const ClusterRow> rows) : slots_(rows.size()) {
    const auto order_of = [&](std::uint32_t i) {
        const std::uint32_t log_size = log_size_of(rows[i].literals.size());
        return std::tuple(rows[i].access != literal_true || log_size > log_unit, rows[i].access, log_size);
    };
    std::vector<std::uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return order_of(a) < order_of(b); });
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && order_of(order[end]) == order_of(order[begin])) ++end;
        add_cluster(rows, std::span(order).subspan(begin, end - begin));
    }
}

// Adds a cluster of the rows in `order`, which share one size class and access literal.
void ClusterLayout::add_cluster(std::span<const ClusterRow> rows, std::span<std::uint32_t> order) {
    const ClusterRow& head = rows[order[0]];
    Cluster cluster{log_size_of(head.literals.size()), head.access, rows_, 0, units_};
    const std::uint32_t per_unit = rows_per_unit(cluster.log_size), per_row = units_per_row(cluster.log_size);
    const std::size_t whole = cluster.streamed() ? task_units : 1;
    const std::size_t items = round_up((order.size() + per_unit - 1) / per_unit, whole);  // units, or long rows
    const std::size_t capacity = items * per_unit;
    if (rows_ + capacity > std::numeric_limits<std::uint32_t>::max() || units_ + items * per_row > units_max)
        throw std::length_error("too many rows for one set of clusters");
    cluster.rows = static_cast<std::uint32_t>(capacity);

    if (cluster.streamed() && cluster.log_size <= 2) order_for_banks(rows, order);
    for (std::size_t i = 0; i < order.size(); ++i) slots_[order[i]] = rows_ + static_cast<std::uint32_t>(i);
    for (std::uint32_t i = 0; !cluster.streamed() && i < items; ++i)
        guarded_.push_back({rows_ + i * per_unit, cluster.log_size, units_ + i * per_row, cluster.access});
    clusters_.push_back(cluster);
    rows_ += cluster.rows;
    units_ += static_cast<std::uint32_t>(items) * per_row;
    if (cluster.streamed()) streamed_units_ = units_;
}

const ClusterLayout::Cluster& ClusterLayout::cluster_of(std::uint32_t slot) const {
    const auto after = std::upper_bound(clusters_.begin(), clusters_.end(), slot,
                                        [](std::uint32_t s, const Cluster& c) { return s < c.first_row; });
    return *(after - 1);
}

// A row's literal numbers are stored side by side, eight per lane: rows of up to eight in one lane, longer ones across
// several lanes.
std::size_t ClusterLayout::id_position(std::uint32_t slot) const {
    const Cluster& cluster = cluster_of(slot);
    const std::uint32_t r = slot - cluster.first_row, per_unit = rows_per_unit(cluster.log_size);
    const std::size_t unit = cluster.first_unit + std::size_t{r / per_unit} * units_per_row(cluster.log_size);
    const std::uint32_t in_unit = r % per_unit;
    const std::uint32_t at =
        cluster.log_size < 3 ? in_unit % 32 * 8 + (in_unit / 32 << cluster.log_size) : in_unit << cluster.log_size;
    return unit * unit_ids + at;
}

}  // namespace sluice::cuda
