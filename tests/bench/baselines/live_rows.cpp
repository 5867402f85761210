#include "tests/bench/baselines/live_rows.hpp"

#include <cstring>
#include <set>

namespace sluice::bench {

namespace {

using cuda::ClusterRow;
using cuda::literal_false;
using cuda::literal_true;

constexpr std::size_t staging_bytes = 1u << 20;  // initially; stage() grows it if needed

// The rows, and after them, for each cluster, `spare_rows` rows that never hold.
std::vector<ClusterRow> with_spare(std::span<const ClusterRow> rows, std::uint32_t spare_rows,
                                   std::vector<std::uint32_t>& never) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> clusters;  // size class and access literal
    std::vector<ClusterRow> all(rows.begin(), rows.end());
    for (const ClusterRow& row : rows)
        clusters.emplace(cuda::ClusterLayout::log_size_of(row.literals.size()), row.access);
    const std::size_t longest = clusters.empty() ? 0 : std::size_t{1} << clusters.rbegin()->first;
    never.assign(longest, literal_false);
    for (const auto& [log_size, access] : clusters) {
        const auto literals = std::span<const std::uint32_t>(never).first(std::size_t{1} << log_size);
        all.insert(all.end(), spare_rows, {0, literals, access});
    }
    return all;
}

}  // namespace

LiveRows::LiveRows(std::span<const ClusterRow> rows, std::uint32_t literals, std::uint32_t spare_rows)
    : staging_(staging_bytes), staged_(staging_bytes) {
    std::vector<std::uint32_t> never;
    const std::vector<ClusterRow> all = with_spare(rows, spare_rows, never);
    rows_ = cuda::ClusterRows(all, literals);
    layout_ = cuda::ClusterLayout(all);
    std::vector<bool> used(layout_.rows());
    for (std::size_t i = 0; i < rows.size(); ++i) used[layout_.slot(i)] = true;
    for (std::uint32_t slot = layout_.rows(); slot-- > 0;) {
        if (!used[slot]) free_slot(slot);
    }
}

std::uint64_t LiveRows::cluster_key(std::size_t literals, std::uint32_t access) {
    return std::uint64_t{access} << 8 | cuda::ClusterLayout::log_size_of(literals);
}

std::uint64_t LiveRows::key_of(const cuda::ClusterLayout::Cluster& cluster) {
    return std::uint64_t{cluster.access} << 8 | cluster.log_size;
}

std::optional<std::uint32_t> LiveRows::insert(const ClusterRow& row) {
    const auto found = free_.find(cluster_key(row.literals.size(), row.access));
    if (found == free_.end() || found->second.empty()) return std::nullopt;
    const std::uint32_t slot = found->second.back();
    found->second.pop_back();
    pending_of_[slot] = pending_.size();
    pending_.push_back({slot, row.target << 5, 1u << cuda::ClusterLayout::log_size_of(row.literals.size()),
                        static_cast<std::uint32_t>(pending_ids_.size()), layout_.id_position(slot)});
    pending_ids_.insert(pending_ids_.end(), row.literals.begin(), row.literals.end());
    pending_ids_.resize(pending_.back().from + pending_.back().count, literal_true);
    return slot;
}

// Replaces the row's first literal by the one that never holds.
void LiveRows::remove(std::uint32_t slot) {
    freed_.push_back(slot);
    if (const auto inserted = pending_of_.find(slot); inserted != pending_of_.end()) {
        pending_ids_[pending_[inserted->second].from] = literal_false;
        return;
    }
    pending_.push_back({slot, 0, 1, static_cast<std::uint32_t>(pending_ids_.size()), layout_.id_position(slot)});
    pending_ids_.push_back(literal_false);
}

void LiveRows::stage(cudaStream_t stream) {
    staged_count_ = static_cast<std::uint32_t>(pending_.size());
    if (pending_.empty()) return;
    if (staging_read_) cuda::check(cudaEventSynchronize(*staging_read_), "cudaEventSynchronize");
    const std::size_t width = view().narrow ? 2 : 4, head = pending_.size() * sizeof(RowWrite);
    const std::size_t bytes = head + pending_ids_.size() * width;
    staging_.reserve(bytes);
    staged_.reserve(bytes);
    std::memcpy(staging_.data(), pending_.data(), head);
    if (view().narrow) {
        auto* ids = reinterpret_cast<std::uint16_t*>(staging_.data() + head);
        for (const std::uint32_t id : pending_ids_) *ids++ = static_cast<std::uint16_t>(id);
    } else {
        std::memcpy(staging_.data() + head, pending_ids_.data(), pending_ids_.size() * width);
    }
    cuda::copy_to_device(staged_.data(), std::span<const std::byte>(staging_.data(), bytes), stream);
    if (!staging_read_) staging_read_.emplace();
    staging_read_->record(stream);
    for (const std::uint32_t slot : freed_) free_slot(slot);
    freed_.clear();
    pending_.clear();
    pending_ids_.clear();
    pending_of_.clear();
}

std::size_t LiveRows::free_rows(std::size_t literals, std::uint32_t access) const {
    const auto found = free_.find(cluster_key(literals, access));
    return found == free_.end() ? 0 : found->second.size();
}

}  // namespace sluice::bench
