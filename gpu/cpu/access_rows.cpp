#include "gpu/cpu/access_rows.hpp"

#include <algorithm>
#include <bit>

namespace sluice {

namespace {

// Cheap literals first; those that lead to the row before all, since they tell apart what shares a bucket.
int cost(LiteralCode code, const AccessChoice& choice) {
    if (code == *choice.first) return 0;
    if (choice.second && code == *choice.second) return 1;
    if (code.family() == Family::scanned) return 5;
    return code.is_bit() && !code.negated() ? 2 : 3;
}

}  // namespace

// Makes events look for the token in this use, and gives its key.
std::uint64_t AccessRows::note(const PredicateTables& tables, LiteralCode code, std::uint8_t use) {
    if (code.is_bit()) {
        if (uses_.empty()) uses_.resize(tables.bits());
        uses_[tables.bit(code)] |= use;
        return token_key(code);
    }
    const RankedRange& range = tables.ranges().ranked(code.index());
    if (levels_.empty()) levels_.resize(tables.attributes());
    Levels& levels = levels_[range.attribute];
    if (use == leads_alone) {
        const RangeCell cell = cell_of(range, 1);
        levels.alone |= 1u << cell.level;
        return token_key(cell, false);
    }
    levels.pair_width = pair_width(tables.ranges().bounds(range.attribute), expected_);
    const RangeCell cell = cell_of(range, levels.pair_width);
    levels.in_pair |= 1u << cell.level;
    return token_key(cell, true);
}

void AccessRows::add(const PredicateTables& tables, std::uint32_t target, const AccessChoice& choice,
                     std::span<const std::uint32_t> codes) {
    const auto begin = static_cast<std::uint32_t>(draft_codes_.size());
    draft_codes_.insert(draft_codes_.end(), codes.begin(), codes.end());
    std::stable_sort(draft_codes_.begin() + begin, draft_codes_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return cost(LiteralCode(a), choice) < cost(LiteralCode(b), choice);
    });
    const std::uint8_t use = choice.kind == AccessChoice::by_two ? leads_in_pair : leads_alone;
    std::uint64_t key = note(tables, *choice.first, use);
    if (use == leads_in_pair) key += note(tables, *choice.second, use);
    drafts_.push_back({key, target, begin, static_cast<std::uint32_t>(codes.size())});
}

void AccessRows::build() {
    rows_ = drafts_.size();
    if (rows_ == 0) return;
    const std::size_t buckets = std::max<std::size_t>(2, std::bit_ceil(rows_));
    shift_ = static_cast<unsigned>(64 - std::countr_zero(buckets));
    offsets_.assign(buckets + 1, 0);
    for (const Draft& d : drafts_) offsets_[bucket(hash(d.key)) + 1] += d.size + 1;
    for (std::size_t b = 0; b < buckets; ++b) offsets_[b + 1] += offsets_[b];
    records_.resize(offsets_.back());
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    filter_.assign(buckets, 0);
    for (const Draft& d : drafts_) {
        filter_[bucket(hash(d.key))] |= filter_bit(hash(d.key));
        std::uint32_t& at = next[bucket(hash(d.key))];
        records_[at++] = d.target;
        for (std::uint32_t i = 0; i < d.size; ++i) records_[at++] = draft_codes_[d.begin + i];
        records_[at - 1] |= last_flag;
    }
    drafts_ = std::vector<Draft>();
    draft_codes_ = std::vector<std::uint32_t>();
}

void AccessRows::collect_tokens(const PredicateTables& tables, const EventState& state, Scratch& scratch) const {
    scratch.singles.clear();
    scratch.pairs.clear();
    if (!uses_.empty()) {
        for (const std::uint32_t bits : state.true_codes) {
            const std::uint8_t use = uses_[tables.bit(LiteralCode(bits))];
            if ((use & leads_alone) != 0) scratch.singles.push_back(token_key(LiteralCode(bits)));
            if ((use & leads_in_pair) != 0) scratch.pairs.push_back(token_key(LiteralCode(bits)));
        }
    }
    if (levels_.empty()) return;
    for (const std::uint32_t attribute : state.with_numbers) {
        const Levels& l = levels_[attribute];
        const NumberPosition& p = state.positions[attribute];
        if (l.alone != 0) collect_cells(attribute, p, 1, l.alone, false, scratch.singles);
        if (l.in_pair != 0) collect_cells(attribute, p, l.pair_width, l.in_pair, true, scratch.pairs);
    }
}

// The cells whose ranges the numbers can be inside of: from one below that of the first hi they reach to that of the
// last lo.
void AccessRows::collect_cells(std::uint32_t attribute, const NumberPosition& p, std::uint32_t width,
                               std::uint32_t levels, bool in_pair, std::vector<std::uint64_t>& keys) {
    if (p.lo_end == 0) return;
    const std::uint32_t first = p.hi_begin / width, last = (p.lo_end - 1) / width;
    for (; levels != 0; levels &= levels - 1) {
        const auto level = static_cast<std::uint32_t>(std::countr_zero(levels));
        const std::uint32_t least = first >> level;
        for (std::uint32_t c = least == 0 ? 0 : least - 1; c <= last >> level; ++c)
            keys.push_back(token_key(RangeCell{attribute, level, c}, in_pair));
    }
}

void AccessRows::find(const PredicateTables& tables, const EventState& state, Scratch& scratch) const {
    collect_tokens(tables, state, scratch);
    const std::size_t pairs = scratch.pairs.size();
    const std::size_t probes = scratch.singles.size() + (pairs < 2 ? 0 : pairs * (pairs - 1) / 2);
    if (probes > rows_) {
        scratch.spans.assign(1, {0, offsets_.back()});
        return;
    }
    scratch.hashes.resize(probes);
    std::size_t n = 0;
    for (const std::uint64_t key : scratch.singles) scratch.hashes[n++] = hash(key);
    for (std::size_t i = 0; i < pairs; ++i) {
        for (std::size_t j = i + 1; j < pairs; ++j) scratch.hashes[n++] = hash(scratch.pairs[i] + scratch.pairs[j]);
    }
    probe(scratch);
}

// Three passes, without branches and reading ahead, so that many reads are under way at once.
void AccessRows::probe(Scratch& scratch) const {
    auto& hashes = scratch.hashes;
    std::size_t passed = 0;
    for (const std::uint64_t h : hashes) {
        hashes[passed] = h;
        passed += static_cast<std::size_t>((filter_[bucket(h)] & filter_bit(h)) != 0);
    }
    scratch.spans.resize(passed);
    for (std::size_t i = 0; i < std::min(passed, prefetch_distance); ++i) prefetch(&offsets_[bucket(hashes[i])]);
    for (std::size_t i = 0; i < passed; ++i) {
        if (i + prefetch_distance < passed) prefetch(&offsets_[bucket(hashes[i + prefetch_distance])]);
        const std::uint64_t b = bucket(hashes[i]);
        scratch.spans[i] = {offsets_[b], offsets_[b + 1]};
    }
    for (std::size_t i = 0; i < std::min(passed, prefetch_distance); ++i) prefetch(&records_[scratch.spans[i].begin]);
}

// Keeps of the rows found those whose first literal holds: without branches, which would be mispredicted half the time.
void AccessRows::sift(const PredicateTables& tables, const EventState& state, Scratch& scratch) const {
    const auto& spans = scratch.spans;
    std::size_t n = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i + prefetch_distance < spans.size()) prefetch(&records_[spans[i + prefetch_distance].begin]);
        scratch.rows.resize(std::max(scratch.rows.size(), n + (spans[i].end - spans[i].begin) / 2 + 1));
        for (std::uint32_t at = spans[i].begin; at != spans[i].end;) {
            scratch.rows[n] = at++;
            n += static_cast<std::size_t>(tables.holds(LiteralCode(records_[at]), state));
            while ((records_[at++] & last_flag) == 0) continue;
        }
    }
    scratch.rows.resize(n);
}

void AccessRows::match(const PredicateTables& tables, const EventState& state, std::uint32_t event, ScanCache& scans,
                       Scratch& scratch, std::vector<Accepted>& accepted) const {
    if (records_.empty()) return;
    find(tables, state, scratch);
    sift(tables, state, scratch);
    const auto holds = [&](LiteralCode code) {
        if (code.family() == Family::scanned) return scans.holds(tables.scanned(code), event) != code.negated();
        return tables.holds(code, state);
    };
    for (const std::uint32_t row : scratch.rows) {
        std::uint32_t at = row + 1;  // the first literal holds
        while ((records_[at] & last_flag) == 0 && holds(LiteralCode(records_[at + 1]))) ++at;
        if ((records_[at] & last_flag) != 0) accepted.push_back({records_[row], event / 32, 1u << event % 32});
    }
}

double AccessRows::rows_found(const PredicateTables& tables, const EventState& state, Scratch& scratch) const {
    if (records_.empty()) return 0;
    find(tables, state, scratch);
    std::size_t words = 0;
    for (const Scratch::Span& span : scratch.spans) words += span.end - span.begin;
    return static_cast<double>(words) * static_cast<double>(rows_) / static_cast<double>(records_.size());
}

std::size_t AccessRows::bytes() const {
    return filter_.capacity() + 4 * (offsets_.capacity() + records_.capacity()) + uses_.capacity() +
           levels_.capacity() * sizeof(Levels);
}

}  // namespace sluice
