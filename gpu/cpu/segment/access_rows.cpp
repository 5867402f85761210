#include "gpu/cpu/segment/access_rows.hpp"

#include <algorithm>
#include <bit>

namespace sluice::cpu {

namespace {

// Orders literals: first those that lead to the row, since they tell apart rows in one bucket, then cheap ones.
int cost(engine::LiteralCode code, const AccessChoice& choice) {
    const auto at = std::find(choice.literals.begin(), choice.literals.end(), code);
    if (at != choice.literals.end()) return static_cast<int>(at - choice.literals.begin());
    if (code.family() == engine::Family::measured) return 10;
    if (code.family() == engine::Family::scanned) return 9;
    return code.is_bit() && !code.negated() ? 5 : 6;
}

}  // namespace

std::size_t AccessRows::list_of(std::uint32_t attribute, std::uint32_t tokens) const {
    return tokens == 3 && in_halves_ && half_of(attribute) == 1 ? lists - 1 : tokens - 1;
}

// Makes events look for the token, as one of `tokens` together, and returns its key.
std::uint64_t AccessRows::note(const engine::PredicateTables& tables, engine::LiteralCode code, std::uint32_t tokens) {
    if (code.is_bit()) {
        if (uses_.empty()) uses_.resize(tables.bits());
        uses_[tables.bit(code)] |= static_cast<std::uint8_t>(1u << list_of(tables.attribute_of(code), tokens));
        return token_key(code);
    }
    const engine::RankedRange& range = tables.ranges().ranked(code.index());
    if (grids_.empty()) grids_.resize(tables.attributes());
    Grid& grid = grids_[range.attribute][tokens - 1];
    grid.width = grid_width(tables.ranges().bounds(range.attribute), expected_, tokens);
    const RangeCell cell = cell_of(range, grid.width);
    grid.levels |= 1u << cell.level;
    return token_key(cell, tokens);
}

void AccessRows::add(const engine::PredicateTables& tables, std::uint32_t target, const AccessChoice& choice,
                     std::span<const std::uint32_t> codes) {
    const auto begin = static_cast<std::uint32_t>(draft_codes_.size());
    draft_codes_.insert(draft_codes_.end(), codes.begin(), codes.end());
    std::stable_sort(draft_codes_.begin() + begin, draft_codes_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return cost(engine::LiteralCode(a), choice) < cost(engine::LiteralCode(b), choice);
    });
    std::array<std::uint64_t, AccessChoice::tokens_max> hashes{};
    for (std::uint32_t i = 0; i < choice.tokens; ++i)
        hashes[i] = hash(note(tables, *choice.literals[i], choice.tokens));
    const std::uint64_t sum = hashes[0] + hashes[1] + hashes[2];
    const std::uint64_t greatest = *std::max_element(hashes.begin(), hashes.end(), by_last_bits);
    drafts_.push_back(
        {sum, choice.tokens == 3 ? sum - greatest : sum, target, begin, static_cast<std::uint32_t>(codes.size())});
}

void AccessRows::build() {
    rows_ = drafts_.size();
    if (rows_ == 0) return;
    const std::size_t buckets = std::max<std::size_t>(2, std::bit_ceil(rows_));
    shift_ = static_cast<unsigned>(64 - std::countr_zero(buckets));
    offsets_.assign(buckets + 1, 0);
    for (const Draft& d : drafts_) offsets_[bucket(d.hash) + 1] += d.size + 1;
    for (std::size_t b = 0; b < buckets; ++b) offsets_[b + 1] += offsets_[b];
    records_.resize(offsets_.back());
    std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
    filter_.resize(std::max<std::size_t>(2, buckets / 32));
    filter_shift_ = static_cast<unsigned>(64 - std::countr_zero(filter_.size()));
    for (const Draft& d : drafts_) {
        filter_[d.line >> filter_shift_].words[d.hash / 64 % 8] |= std::uint64_t{1} << d.hash % 64;
        std::uint32_t& at = next[bucket(d.hash)];
        records_[at++] = d.target;
        for (std::uint32_t i = 0; i < d.size; ++i) records_[at++] = draft_codes_[d.begin + i];
        records_[at - 1] |= last_flag;
    }
    drafts_ = std::vector<Draft>();
    draft_codes_ = std::vector<std::uint32_t>();
}

void AccessRows::collect_tokens(const engine::PredicateTables& tables, const engine::EventState& state,
                                Scratch& scratch) const {
    for (auto& keys : scratch.tokens) keys.clear();
    if (!uses_.empty()) {
        for (const std::uint32_t bits : state.true_codes) {
            for (unsigned uses = uses_[tables.bit(engine::LiteralCode(bits))]; uses != 0; uses &= uses - 1)
                scratch.tokens[static_cast<std::size_t>(std::countr_zero(uses))].push_back(
                    token_key(engine::LiteralCode(bits)));
        }
    }
    if (grids_.empty()) return;
    for (const std::uint32_t attribute : state.with_numbers) {
        for (std::uint32_t k = 1; k <= AccessChoice::tokens_max; ++k) {
            const std::size_t list = list_of(attribute, k);
            collect_cells(attribute, state.positions[attribute], grids_[attribute][k - 1], k, scratch.tokens[list]);
        }
    }
}

// The cells of ranges that the numbers can be inside of: from the cell below that of the first hi they reach to that of
// the last lo.
void AccessRows::collect_cells(std::uint32_t attribute, const engine::NumberPosition& p, const Grid& grid,
                               std::uint32_t tokens, std::vector<std::uint64_t>& keys) {
    if (p.lo_end == 0) return;
    const std::uint32_t first = p.hi_begin / grid.width, last = (p.lo_end - 1) / grid.width;
    for (std::uint32_t levels = grid.levels; levels != 0; levels &= levels - 1) {
        const auto level = static_cast<std::uint32_t>(std::countr_zero(levels));
        const std::uint32_t least = first >> level;
        for (std::uint32_t c = least == 0 ? 0 : least - 1; c <= last >> level; ++c)
            keys.push_back(token_key(RangeCell{attribute, level, c}, tokens));
    }
}

std::size_t AccessRows::look_ups(const Scratch& scratch) const {
    const auto triples = [](std::size_t n) { return n < 3 ? 0 : n * (n - 1) * (n - 2) / 6; };
    const std::size_t one = scratch.tokens[0].size(), two = scratch.tokens[1].size();
    return one + (two < 2 ? 0 : two * (two - 1) / 2) + triples(scratch.tokens[2].size()) +
           triples(scratch.tokens[3].size());
}

void AccessRows::find(const engine::PredicateTables& tables, const engine::EventState& state, Scratch& scratch) const {
    collect_tokens(tables, state, scratch);
    if (look_ups(scratch) >= rows_) {
        scratch.spans.assign(1, {0, offsets_.back()});
        return;
    }
    look_up(scratch);
    probe(scratch);
}

// Collects the hashes of tokens, pairs and triples that pass the filter. Branch-free, since which ones pass is random.
void AccessRows::look_up(Scratch& scratch) const {
    scratch.hashes.resize(look_ups(scratch) + 1);
    for (auto& keys : scratch.tokens) {
        for (std::uint64_t& key : keys) key = hash(key);
    }
    const auto& ones = scratch.tokens[0];
    const auto& twos = scratch.tokens[1];
    std::uint64_t* end = scratch.hashes.data();
    const auto ask = [&](std::uint64_t h) {
        *end = h;
        end += test(line(h), h) ? 1 : 0;
    };
    for (const std::uint64_t h : ones) ask(h);
    for (std::size_t i = 0; i < twos.size(); ++i) {
        for (std::size_t j = i + 1; j < twos.size(); ++j) ask(twos[i] + twos[j]);
    }
    for (auto* tokens : {&scratch.tokens[2], &scratch.tokens[3]}) end = look_up_triples(*tokens, end);
    scratch.hashes.resize(static_cast<std::size_t>(end - scratch.hashes.data()));
}

// Writes hashes from `end` on, and returns the new end.
std::uint64_t* AccessRows::look_up_triples(std::vector<std::uint64_t>& tokens, std::uint64_t* end) const {
    const std::size_t count = tokens.size();
    if (count < 3) return end;
    std::sort(tokens.begin(), tokens.end(), by_last_bits);
    const std::uint64_t* const hashes = tokens.data();
    for (std::size_t i = 0; i + 2 < count; ++i) {
        for (std::size_t j = i + 1; j + 1 < count; ++j) prefetch(&line(hashes[i] + hashes[j]));
    }
    for (std::size_t i = 0; i + 2 < count; ++i) {
        for (std::size_t j = i + 1; j + 1 < count; ++j) {
            const std::uint64_t pair = hashes[i] + hashes[j];
            const FilterLine& filter = line(pair);
            for (std::size_t k = j + 1; k < count; ++k) {
                *end = pair + hashes[k];
                end += test(filter, *end) ? 1 : 0;
            }
        }
    }
    return end;
}

// Branch-free, with prefetching, so that many reads are in flight at once.
void AccessRows::probe(Scratch& scratch) const {
    const auto& hashes = scratch.hashes;
    const std::size_t passed = hashes.size();
    scratch.spans.resize(passed);
    for (std::size_t i = 0; i < std::min(passed, prefetch_distance); ++i) prefetch(&offsets_[bucket(hashes[i])]);
    for (std::size_t i = 0; i < passed; ++i) {
        if (i + prefetch_distance < passed) prefetch(&offsets_[bucket(hashes[i + prefetch_distance])]);
        const std::uint64_t b = bucket(hashes[i]);
        scratch.spans[i] = {offsets_[b], offsets_[b + 1]};
    }
    for (std::size_t i = 0; i < std::min(passed, prefetch_distance); ++i) prefetch(&records_[scratch.spans[i].begin]);
}

// Keeps the rows found whose first literal holds. Branch-free: a branch would be mispredicted half the time.
void AccessRows::sift(const engine::PredicateTables& tables, const engine::EventState& state, Scratch& scratch) const {
    const auto& spans = scratch.spans;
    std::size_t n = 0;
    for (std::size_t i = 0; i < spans.size(); ++i) {
        if (i + prefetch_distance < spans.size()) prefetch(&records_[spans[i + prefetch_distance].begin]);
        scratch.rows.resize(std::max(scratch.rows.size(), n + (spans[i].end - spans[i].begin) / 2 + 1));
        for (std::uint32_t at = spans[i].begin; at != spans[i].end;) {
            scratch.rows[n] = at++;
            n += static_cast<std::size_t>(tables.holds(engine::LiteralCode(records_[at]), state));
            while ((records_[at++] & last_flag) == 0) continue;
        }
    }
    scratch.rows.resize(n);
}

void AccessRows::match(const engine::PredicateTables& tables, const engine::EventState& state, std::uint32_t event,
                       ScanCache& scans, Scratch& scratch, std::vector<Accepted>& accepted,
                       DeferredRows& deferred) const {
    if (records_.empty()) return;
    find(tables, state, scratch);
    sift(tables, state, scratch);
    const auto holds = [&](engine::LiteralCode code) { return tables.holds(code, state); };
    for (const std::uint32_t row : scratch.rows) {  // their first literals hold
        if ((records_[row + 1] & last_flag) != 0)
            accepted.push_back({records_[row], event / 32, 1u << event % 32});
        else
            decide(tables, row, row + 2, event, holds, scans, accepted, deferred);
    }
}

// Decides the row that begins at records_[row] by its literals from records_[at] on; `holds` is asked about those that
// are neither scanned nor measured. An undecided literal leaves it to the others to rule the row out.
template <class Holds>
void AccessRows::decide(const engine::PredicateTables& tables, std::uint32_t row, std::uint32_t at, std::uint32_t event,
                        const Holds& holds, ScanCache& scans, std::vector<Accepted>& accepted,
                        DeferredRows& deferred) const {
    const Accepted accept{records_[row], event / 32, 1u << event % 32};
    bool known = true;
    for (;; ++at) {
        const engine::LiteralCode code(records_[at]);
        if (code.family() == engine::Family::measured)
            return deferred.add(accept, known ? 0 : accept.events, codes_from(at));
        if (code.family() == engine::Family::scanned) {
            const std::optional<bool> answer = scans.holds(tables.scanned(code), code.negated(), event);
            if (!answer.value_or(true)) return;
            known = known && answer.has_value();
        } else if (!holds(code)) {
            return;
        }
        if ((records_[at] & last_flag) != 0) break;
    }
    (known ? accepted : scans.undecided()).push_back(accept);
}

std::span<const std::uint32_t> AccessRows::codes_from(std::uint32_t at) const {
    std::uint32_t last = at;
    while ((records_[last] & last_flag) == 0) ++last;
    return std::span(records_).subspan(at, last + 1 - at);
}

void AccessRows::finish(const engine::PredicateTables& tables, std::uint32_t row, std::uint32_t event, ScanCache& scans,
                        std::vector<Accepted>& accepted, DeferredRows& deferred) const {
    decide(
        tables, row, row + 1, event, [](engine::LiteralCode) { return true; }, scans, accepted, deferred);
}

double AccessRows::rows_found(const engine::PredicateTables& tables, const engine::EventState& state,
                              Scratch& scratch) const {
    if (records_.empty()) return 0;
    find(tables, state, scratch);
    std::size_t words = 0;
    for (const Scratch::Span& span : scratch.spans) words += span.end - span.begin;
    const double rows = static_cast<double>(words) * static_cast<double>(rows_) / static_cast<double>(records_.size());
    return rows + static_cast<double>(std::min(rows_, look_ups(scratch))) / 16;
}

}  // namespace sluice::cpu
