#include "gpu/cuda/clusters/cluster_rows.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "gpu/cuda/clusters/bank_order.hpp"
#include "gpu/cuda/clusters/hits.hpp"

namespace sluice::cuda {

namespace {

void check_rows(std::span<const ClusterRow> rows, std::uint32_t literals) {
    const auto known = [literals](std::uint32_t literal) { return literal < literals; };
    for (const ClusterRow& row : rows) {
        if (!known(row.access) || !std::all_of(row.literals.begin(), row.literals.end(), known))
            throw std::invalid_argument("a row has a literal that the masks do not have");
        if (row.target >= Hit::targets_max) throw std::invalid_argument("a row's target is out of range");
    }
}

// The members of the view that the layout determines.
ClusterView view_of(const ClusterLayout& layout) {
    ClusterView v;
    v.streamed_count = layout.streamed_units();
    v.guarded_count = static_cast<std::uint32_t>(layout.guarded().size());
    std::uint32_t row = 0, task = 0;
    auto next = layout.clusters().begin();  // streamed ones come first, ascending by size class
    for (std::uint32_t k = 1; k <= ClusterView::log_unit + 1; ++k) {
        v.streamed_row[k] = row;
        v.streamed_task[k] = task;
        if (next == layout.clusters().end() || !next->streamed() || next->log_size != k) continue;
        row += next->rows;
        task += next->units() / ClusterView::task_units;
        ++next;
    }
    return v;
}

}  // namespace

ClusterRows::ClusterRows(std::span<const ClusterRow> rows, std::uint32_t literals) {
    check_rows(rows, literals);
    const ClusterLayout layout(rows);
    view_ = view_of(layout);
    view_.narrow = literals <= std::uint32_t{std::numeric_limits<std::uint16_t>::max()} + 1;
    if (view_.narrow) {
        fill<std::uint16_t>(rows, layout);
    } else {
        fill<std::uint32_t>(rows, layout);
    }
    std::vector<std::uint32_t> targets(layout.rows());
    for (std::size_t i = 0; i < rows.size(); ++i) targets[layout.slot(i)] = rows[i].target << 5;
    targets_ = to_device(std::span<const std::uint32_t>(targets));
    guarded_ = to_device(std::span<const ClusterView::Guarded>(layout.guarded()));
    view_.ids = ids_.data();
    view_.targets = targets_.data();
    view_.guarded = guarded_.data();
}

// Padding rows never hold.
template <class Id>
void ClusterRows::fill(std::span<const ClusterRow> rows, const ClusterLayout& layout) {
    std::vector<Id> ids(std::size_t{layout.units()} * ClusterView::unit_ids, Id{literal_false});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto at = ids.begin() + static_cast<std::ptrdiff_t>(layout.id_position(layout.slot(i)));
        const auto end = std::transform(rows[i].literals.begin(), rows[i].literals.end(), at,
                                        [](std::uint32_t literal) { return static_cast<Id>(literal); });
        std::fill(end, at + (std::ptrdiff_t{1} << layout.cluster_of(layout.slot(i)).log_size), Id{literal_true});
        const FirstIds firsts = in_bank_order({at[0], at[1]});
        at[0] = static_cast<Id>(firsts[0]);
        at[1] = static_cast<Id>(firsts[1]);
    }
    for (const ClusterLayout::Cluster& cluster : layout.clusters()) {
        for (std::size_t u = cluster.first_unit; u < cluster.first_unit + cluster.units(); ++u)
            order_by_bank(std::span(ids).subspan(u * ClusterView::unit_ids, ClusterView::unit_ids), cluster.log_size);
    }
    ids_ = to_device(std::as_bytes(std::span<const Id>(ids)));
}

}  // namespace sluice::cuda
