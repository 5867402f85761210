#include "gpu/cuda/cluster_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "gpu/cuda/bank_order.hpp"

namespace sluice::cuda {

namespace {

constexpr std::uint32_t log_unit = ClusterView::log_unit;

std::uint32_t log_size_of(std::size_t literals) {
    return literals <= 2 ? 1 : static_cast<std::uint32_t>(std::bit_width(literals - 1));
}
std::uint32_t rows_per_unit(std::uint32_t log_size) { return 1u << (log_unit - std::min(log_size, log_unit)); }
std::uint32_t units_per_row(std::uint32_t log_size) { return 1u << (std::max(log_size, log_unit) - log_unit); }

std::size_t round_up(std::size_t n, std::size_t whole) { return (n + whole - 1) / whole * whole; }

std::uint64_t cluster_key(std::uint32_t access, std::uint32_t log_size) {
    return std::uint64_t{access} << 8 | log_size;
}

// Of a row's literals, padded with the one that always holds.
FirstIds first_ids(const ClusterRow& row) {
    FirstIds ids{literal_true, literal_true};
    std::copy_n(row.literals.begin(), std::min<std::size_t>(row.literals.size(), 2), ids.begin());
    return in_bank_order(ids);
}

// Rows of up to four literals that are read in a stream.
void order_for_banks(std::span<const ClusterRow> rows, std::span<std::uint32_t> order) {
    std::vector<FirstIds> firsts;
    for (const std::uint32_t i : order) firsts.push_back(first_ids(rows[i]));
    std::vector<std::uint32_t> ordered;
    for (const std::uint32_t at : order_rows_by_bank(firsts)) ordered.push_back(order[at]);
    std::copy(ordered.begin(), ordered.end(), order.begin());
}

std::uint32_t encoded_target(const ClusterRow& row) {
    return row.target << 5 | (row.disjunction ? ClusterView::disjunction_flag : 0);
}

}  // namespace

ClusterRows::ClusterRows(std::span<const ClusterRow> rows, const Options& options,
                         std::span<const std::uint32_t> disjunction_targets)
    : options_(options), disjunction_count_(static_cast<std::uint32_t>(disjunction_targets.size())) {
    options_.literals_max = std::max(options.literals, options.literals_max);
    narrow_ = options_.literals_max <= std::uint32_t{std::numeric_limits<std::uint16_t>::max()} + 1;
    for (const ClusterRow& row : rows) check_row(row);
    std::vector<ClusterView::Guarded> guarded;
    lay_out(rows, guarded);
    guarded_ = to_device(std::span<const ClusterView::Guarded>(guarded));
    guarded_count_ = static_cast<std::uint32_t>(guarded.size());
    if (narrow_) {
        fill<std::uint16_t>(rows);
    } else {
        fill<std::uint32_t>(rows);
    }
    std::vector<std::uint32_t> targets(rows_);
    for (std::size_t i = 0; i < rows.size(); ++i) targets[slots_[i]] = encoded_target(rows[i]);
    targets_ = to_device(std::span<const std::uint32_t>(targets));
    disjunction_targets_ = to_device(disjunction_targets);
    const std::vector<std::uint32_t> nothing(std::size_t{disjunction_count_} * options_.words_max);
    disjunctions_ = to_device(std::span<const std::uint32_t>(nothing));
    if (options_.spare > 0 || options_.spare_rows > 0) {
        staging_ = PinnedBuffer<std::byte>(options_.write_bytes);
        staged_ = DeviceBuffer<std::byte>(options_.write_bytes);
    }
}

void ClusterRows::check_row(const ClusterRow& row) const {
    const auto known = [this](std::uint32_t literal) { return literal < options_.literals_max; };
    if (!known(row.access) || !std::all_of(row.literals.begin(), row.literals.end(), known))
        throw std::invalid_argument("a row has a literal that the masks do not have");
    if (row.target >= (row.disjunction ? disjunction_count_ : Hit::targets_max))
        throw std::invalid_argument("a row's target is out of range");
}

// Clusters, streamed ones first, and in each the rows as they come.
void ClusterRows::lay_out(std::span<const ClusterRow> rows, std::vector<ClusterView::Guarded>& guarded) {
    const auto order_of = [&](std::uint32_t i) {
        const std::uint32_t log_size = log_size_of(rows[i].literals.size());
        return std::tuple(rows[i].access != literal_true || log_size > log_unit, rows[i].access, log_size);
    };
    std::vector<std::uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return order_of(a) < order_of(b); });
    slots_.resize(rows.size());
    std::uint64_t next_row = 0;
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        const auto head = order_of(order[begin]);
        while (end < order.size() && order_of(order[end]) == head) ++end;
        const auto [is_guarded, access, log_size] = head;
        const std::size_t used = end - begin;
        const auto spare = std::max(static_cast<std::size_t>(options_.spare * static_cast<double>(used)),
                                    std::size_t{options_.spare_rows});
        const std::uint32_t per_unit = rows_per_unit(log_size), per_row = units_per_row(log_size);
        const std::size_t whole = is_guarded ? 1 : ClusterView::task_units;
        const std::size_t items = round_up((used + spare + per_unit - 1) / per_unit, whole);  // units, or long rows
        const std::size_t capacity = items * per_unit;
        const std::uint64_t next_unit = std::uint64_t{units_} + items * per_row;
        if (next_row + capacity > std::numeric_limits<std::uint32_t>::max() || next_unit > ClusterView::units_max)
            throw std::length_error("too many rows for one set of clusters");

        Cluster cluster{log_size, access, static_cast<std::uint32_t>(next_row), static_cast<std::uint32_t>(capacity),
                        units_,   {}};
        if (!is_guarded && log_size <= 2 && options_.order_by_bank)
            order_for_banks(rows, std::span(order).subspan(begin, used));
        for (std::size_t i = begin; i < end; ++i)
            slots_[order[i]] = cluster.first_row + static_cast<std::uint32_t>(i - begin);
        for (std::size_t r = capacity; r > used; --r)
            cluster.free.push_back(cluster.first_row + static_cast<std::uint32_t>(r - 1));
        for (std::uint32_t i = 0; is_guarded && i < items; ++i)
            guarded.push_back({cluster.first_row + i * per_unit, log_size, units_ + i * per_row, access});
        cluster_by_.emplace(cluster_key(access, log_size), static_cast<std::uint32_t>(clusters_.size()));
        clusters_.push_back(std::move(cluster));
        next_row += capacity;
        units_ = static_cast<std::uint32_t>(next_unit);
        if (!is_guarded) streamed_count_ = units_;
    }
    rows_ = static_cast<std::uint32_t>(next_row);
    is_pending_.resize(rows_);
    last_cluster_ = static_cast<std::uint32_t>(clusters_.size());
}

// A row's literal numbers stand side by side, eight a lane: rows of up to eight in the lane of their number, longer
// ones in several lanes.
std::size_t ClusterRows::id_position(const Cluster& cluster, std::uint32_t slot) {
    const std::uint32_t r = slot - cluster.first_row, per_unit = rows_per_unit(cluster.log_size);
    const std::size_t unit = cluster.first_unit + std::size_t{r / per_unit} * units_per_row(cluster.log_size);
    const std::uint32_t in_unit = r % per_unit;
    const std::uint32_t at =
        cluster.log_size < 3 ? in_unit % 32 * 8 + (in_unit / 32 << cluster.log_size) : in_unit << cluster.log_size;
    return unit * ClusterView::unit_ids + at;
}

template <class Id>
void ClusterRows::fill(std::span<const ClusterRow> rows) {
    std::vector<Id> ids(std::size_t{units_} * ClusterView::unit_ids, Id{literal_false});
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Cluster& cluster = clusters_[cluster_of(slots_[i])];
        const auto at = ids.begin() + static_cast<std::ptrdiff_t>(id_position(cluster, slots_[i]));
        const auto end = std::transform(rows[i].literals.begin(), rows[i].literals.end(), at,
                                        [](std::uint32_t literal) { return static_cast<Id>(literal); });
        std::fill(end, at + (std::ptrdiff_t{1} << cluster.log_size), Id{literal_true});
        if (options_.order_by_bank) {
            const FirstIds firsts = in_bank_order({at[0], at[1]});
            at[0] = static_cast<Id>(firsts[0]);
            at[1] = static_cast<Id>(firsts[1]);
        }
    }
    if (options_.order_by_bank) {
        for (const Cluster& cluster : clusters_) {
            const std::size_t units =
                std::size_t{cluster.rows} / rows_per_unit(cluster.log_size) * units_per_row(cluster.log_size);
            for (std::size_t u = cluster.first_unit; u < cluster.first_unit + units; ++u)
                order_by_bank(std::span(ids).subspan(u * ClusterView::unit_ids, ClusterView::unit_ids),
                              cluster.log_size);
        }
    }
    ids_ = to_device(std::as_bytes(std::span<const Id>(ids)));
}

std::uint32_t ClusterRows::cluster_of(std::uint32_t slot) const {
    const auto after = std::upper_bound(clusters_.begin(), clusters_.end(), slot,
                                        [](std::uint32_t s, const Cluster& c) { return s < c.first_row; });
    return static_cast<std::uint32_t>(after - clusters_.begin()) - 1;
}

std::optional<std::uint32_t> ClusterRows::insert(const ClusterRow& row) {
    check_row(row);
    const std::uint32_t log_size = log_size_of(row.literals.size());
    if (last_cluster_ == clusters_.size() || clusters_[last_cluster_].log_size != log_size ||
        clusters_[last_cluster_].access != row.access) {
        const auto found = cluster_by_.find(cluster_key(row.access, log_size));
        if (found == cluster_by_.end()) return std::nullopt;
        last_cluster_ = found->second;
    }
    Cluster& cluster = clusters_[last_cluster_];
    if (cluster.free.empty()) return std::nullopt;
    const std::uint32_t slot = cluster.free.back();
    cluster.free.pop_back();
    is_pending_[slot] = true;
    pending_.push_back({slot, encoded_target(row), 1u << log_size, static_cast<std::uint32_t>(pending_ids_.size()),
                        id_position(cluster, slot)});
    pending_ids_.insert(pending_ids_.end(), row.literals.begin(), row.literals.end());
    pending_ids_.resize(pending_.back().from + pending_.back().count, literal_true);
    return slot;
}

// The row's first literal becomes the one that never holds.
void ClusterRows::remove(std::uint32_t slot) {
    freed_.push_back(slot);
    if (is_pending_[slot]) {
        for (; pending_indexed_ < pending_.size(); ++pending_indexed_)
            pending_of_[pending_[pending_indexed_].row] = pending_indexed_;
        pending_ids_[pending_[pending_of_.at(slot)].from] = literal_false;
        return;
    }
    is_pending_[slot] = true;
    pending_.push_back(
        {slot, 0, 1, static_cast<std::uint32_t>(pending_ids_.size()), id_position(clusters_[cluster_of(slot)], slot)});
    pending_ids_.push_back(literal_false);
}

void ClusterRows::stage(cudaStream_t stream) {
    staged_count_ = static_cast<std::uint32_t>(pending_.size());
    if (pending_.empty()) return;
    if (staging_read_) check(cudaEventSynchronize(*staging_read_), "cudaEventSynchronize");
    const std::size_t width = narrow_ ? 2 : 4, head = pending_.size() * sizeof(RowWrite);
    const std::size_t bytes = head + pending_ids_.size() * width;
    staging_.reserve(bytes);
    staged_.reserve(bytes);
    std::memcpy(staging_.data(), pending_.data(), head);
    if (narrow_) {
        auto* ids = reinterpret_cast<std::uint16_t*>(staging_.data() + head);
        for (const std::uint32_t id : pending_ids_) *ids++ = static_cast<std::uint16_t>(id);
    } else {
        std::memcpy(staging_.data() + head, pending_ids_.data(), pending_ids_.size() * width);
    }
    copy_to_device(staged_.data(), std::span<const std::byte>(staging_.data(), bytes), stream);
    if (!staging_read_) staging_read_.emplace();
    staging_read_->record(stream);
    for (const std::uint32_t slot : freed_) clusters_[cluster_of(slot)].free.push_back(slot);
    for (const RowWrite& write : pending_) is_pending_[write.row] = false;
    freed_.clear();
    pending_.clear();
    pending_indexed_ = 0;
    pending_ids_.clear();
    pending_of_.clear();
}

ClusterView ClusterRows::view() const {
    ClusterView v;
    v.ids = ids_.data();
    v.guarded = guarded_.data();
    v.targets = targets_.data();
    v.disjunctions = disjunctions_.data();
    v.disjunction_targets = disjunction_targets_.data();
    v.streamed_count = streamed_count_;
    v.guarded_count = guarded_count_;
    v.disjunction_count = disjunction_count_;
    v.narrow = narrow_;
    std::uint32_t row = 0, task = 0;
    for (std::uint32_t k = 1; k <= log_unit + 1; ++k) {
        v.streamed_row[k] = row;
        v.streamed_task[k] = task;
        const auto found = k <= log_unit ? cluster_by_.find(cluster_key(literal_true, k)) : cluster_by_.end();
        if (found == cluster_by_.end()) continue;
        row += clusters_[found->second].rows;
        task += clusters_[found->second].rows / rows_per_unit(k) / ClusterView::task_units;
    }
    return v;
}

std::uint32_t ClusterRows::free_rows(std::size_t literals, std::uint32_t access) const {
    const auto found = cluster_by_.find(cluster_key(access, log_size_of(literals)));
    return found == cluster_by_.end() ? 0 : static_cast<std::uint32_t>(clusters_[found->second].free.size());
}

std::size_t ClusterRows::bytes() const {
    return ids_.bytes() + guarded_.bytes() + targets_.bytes() + disjunctions_.bytes() + disjunction_targets_.bytes() +
           staged_.bytes();
}

}  // namespace sluice::cuda
