#include "gpu/operators/alignment/dispatch.hpp"

#include <algorithm>
#include <utility>

namespace sluice::alignment {

namespace {

// The longer sequence is striped if a column then stays in the core's own cache. Otherwise the shorter one is, even if
// most lanes then have no row. If even that is far too long, rows are faster.
constexpr std::size_t cache_bytes = 1 << 20, striped_bytes_max = 4 << 20;

// From this many cells on, tiles are faster than stripes of more than 8 bits. Stripes of 8 bits, which hold the scores
// of unrelated sequences, are as fast as tiles on `threads_of_stripes` threads.
constexpr std::uint64_t tiled_cells_min = 1'000'000'000;
constexpr std::size_t tiled_rows_min = 4096;
constexpr unsigned threads_of_stripes = 2;

// Pairs of this many cells are spread over a device, side by side, unless there are many. 64 pairs of 1,024 x 1,024
// take 0.2 ms this way and 1.8 ms with LaneGroupAligner, which takes as long for a few hundred. Large pairs that are
// far from square are always spread, since the edges between the passes of LaneGroupAligner would need much memory. For
// very few pairs, clusters take two thirds of the time of strips.
constexpr std::uint64_t spread_cells_min = std::uint64_t{1} << 20;
constexpr std::ptrdiff_t spread_pairs_max = 256;
constexpr std::size_t cluster_pairs_max = 16;
constexpr std::size_t group_rows_max = 1u << 16, one_pass_columns = 1024;

// Below this, one device holds all of the columns at once, and a second one would not make it finish sooner.
constexpr std::size_t shared_columns_min = 100'000;

}  // namespace

std::optional<bool> reaches_by_lengths(const Scheme& scheme, Mode mode, std::size_t m, std::size_t n,
                                       std::int32_t threshold) {
    const bool local = mode == Mode::local;
    const std::int64_t unmatched = local ? 0 : scheme.gap_cost(std::max(m, n) - std::min(m, n));
    if (scheme.score_bound(m, n) - unmatched < threshold) return false;
    if ((local ? 0 : -scheme.gap_cost(m) - scheme.gap_cost(n)) >= threshold) return true;
    return std::nullopt;
}

CoreAligner::Plan CoreAligner::plan(std::size_t m, std::size_t n, unsigned threads) const {
    const std::size_t shorter = std::min(m, n), longer = std::max(m, n);
    const auto column_bytes = [&](std::size_t rows) { return StripedAligner::column_bytes(scheme_, rows); };
    const bool tiled = scheme_.alphabet == Scheme::Alphabet::dna && shorter >= tiled_rows_min &&
                       std::uint64_t{m} * n >= tiled_cells_min;
    const bool stripes_longer = column_bytes(longer) <= cache_bytes;
    const bool striped =
        stripes_ && (!tiled || threads <= threads_of_stripes) && column_bytes(shorter) <= striped_bytes_max;
    return {striped, (m >= n) != stripes_longer, tiled};
}

std::int32_t CoreAligner::score(Codes query, Codes text, std::int32_t threshold) {
    const Plan plan = this->plan(query.size(), text.size(), 1);
    if (!plan.striped || plan.tiled) return align(query, text, true, 1, {}).end.score;
    if (plan.swapped) std::swap(query, text);
    return striped_.score(query, text, threshold);
}

TilesResult CoreAligner::align(Codes query, Codes text, bool prune, unsigned threads, const Progress& progress) {
    const Plan plan = this->plan(query.size(), text.size(), threads);
    if (plan.striped) {
        auto end = striped_.align(plan.swapped ? text : query, plan.swapped ? query : text, plan.tiled, progress);
        if (end && plan.swapped) std::swap(end->query_end, end->text_end);
        if (end) return {*end};
    }
    if (plan.tiled) return align_tiles(scheme_, mode_, query, text, prune, threads, progress, set_);
    return {align_rows(scheme_, mode_, query, text, progress, set_)};
}

std::vector<std::uint8_t> spread_over_device(const SequenceSet& queries, const SequenceSet& texts,
                                             std::span<const Pair> pairs) {
    if (std::uint64_t{queries.longest()} * texts.longest() < spread_cells_min) return {};
    std::vector<std::uint8_t> large, far_from_square;
    for (const Pair& pair : pairs) {
        const std::size_t m = queries.length(pair.query), n = texts.length(pair.text);
        large.push_back(std::uint64_t{m} * n >= spread_cells_min);
        far_from_square.push_back(m > group_rows_max && n > one_pass_columns);  // and so large
    }
    return std::count(large.begin(), large.end(), 1) <= spread_pairs_max ? large : far_from_square;
}

Spread spread_of(Codes text, std::size_t pairs, std::size_t devices, const std::function<bool()>& fits_cluster) {
    if (devices > 1 && text.size() >= shared_columns_min) return Spread::slices;
    return pairs <= cluster_pairs_max && fits_cluster() ? Spread::clusters : Spread::strips;
}

}  // namespace sluice::alignment
