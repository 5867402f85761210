#include "gpu/cpu/segment/cluster_rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace sluice::cpu {

namespace {

constexpr std::size_t mask_bytes_max = 512u << 10;  // the most that the masks of a chunk may take, to stay in cache

}  // namespace

std::size_t ClusterRows::words_at_once() const {
    std::size_t words = words_max;
    while (words > 1 && words * literals_.size() * sizeof(std::uint32_t) > mask_bytes_max) words /= 2;
    return words;
}

void ClusterRows::begin(std::size_t events, Scratch& scratch) const {
    const std::size_t words = std::bit_ceil((events + 31) / 32);
    scratch.words = words;
    scratch.valid.assign(words, 0);
    for (std::size_t e = 0; e < events; ++e) scratch.valid[e / 32] |= 1u << e % 32;
    ++scratch.chunk;
    scratch.unfinished = pages();
    const auto make_room = [](auto& v, std::size_t size) { v.resize(std::max(v.size(), size)); };
    make_room(scratch.masks, literals_.size() * words);
    make_room(scratch.bounds, bounds_ * words);
    for (auto* stamps : {&scratch.made, &scratch.finished}) make_room(*stamps, pages());
    make_room(scratch.has_numbers, ranges_.size());
    make_room(scratch.may_run, led_blocks_.size());
    for (auto* used : {&scratch.pages, &scratch.ranges, &scratch.runs}) used->clear();
}

void ClusterRows::make_page(std::uint32_t page, Scratch& scratch) const {
    if (scratch.made[page] == scratch.chunk) return;
    scratch.made[page] = scratch.chunk;
    scratch.pages.push_back(page);
    const std::size_t words = scratch.words, first = page * page_literals;
    const std::size_t end = std::min(first + page_literals, literals_.size());
    std::fill(&scratch.masks[first * words], scratch.masks.data() + end * words, 0);
    auto full = std::lower_bound(full_literals_.begin(), full_literals_.end(), first);
    for (; full != full_literals_.end() && *full < end; ++full)
        for (std::size_t w = 0; w < words; ++w) scratch.masks[*full * words + w] = scratch.valid[w];
}

std::uint32_t* ClusterRows::mask(std::uint32_t literal, Scratch& scratch) const {
    make_page(literal / page_literals, scratch);
    return &scratch.masks[literal * scratch.words];
}

// Called when the events are set.
void ClusterRows::finish_page(std::uint32_t page, Scratch& scratch) const {
    if (scratch.unfinished == 0 || scratch.finished[page] == scratch.chunk) return;
    scratch.finished[page] = scratch.chunk;
    --scratch.unfinished;
    make_page(page, scratch);
    const std::size_t end = (page + 1) * page_literals;
    auto n = std::lower_bound(not_equals_.begin(), not_equals_.end(), page * page_literals,
                              [](const NotEqualMask& m, std::size_t literal) { return m.literal < literal; });
    for (; n != not_equals_.end() && n->literal < end; ++n) {
        const std::uint32_t* const exists = mask(n->exists, scratch);
        std::uint32_t* const mask = &scratch.masks[n->literal * scratch.words];
        for (std::size_t w = 0; w < scratch.words; ++w) {
            const std::uint32_t holds = exists[w] & ~mask[w];
            mask[w] = n->negated ? scratch.valid[w] & ~holds : holds;
        }
    }
}

// The literal holds for some event.
void ClusterRows::lead(std::uint32_t literal, Scratch& scratch) const {
    const std::uint32_t led = leads_to_[literal];
    if (led == engine::none || scratch.may_run[led] == scratch.chunk) return;
    scratch.may_run[led] = scratch.chunk;
    scratch.runs.push_back(led);
}

void ClusterRows::set(const engine::EventState& state, std::size_t event, Scratch& scratch) const {
    const std::size_t word = event / 32;
    const std::uint32_t bit = 1u << event % 32;
    for (const std::uint32_t bits : state.true_codes) {
        const engine::LiteralCode code(bits);
        const std::uint32_t positive = find(bits), negated = find(bits | 1);
        if (positive != engine::none) {
            mask(positive, scratch)[word] |= bit;
            lead(positive, scratch);
        }
        if (negated == engine::none) continue;
        if (code.is_not_equal())
            mask(negated, scratch)[word] |= bit;
        else
            mask(negated, scratch)[word] &= ~bit;
    }
    for (const std::uint32_t attribute : state.with_numbers) {
        if (ranges_of_[attribute] != engine::none)
            set_bounds(ranges_of_[attribute], state.positions[attribute], event, scratch);
    }
}

void ClusterRows::set_bounds(std::uint32_t range, const engine::NumberPosition& p, std::size_t event,
                             Scratch& scratch) const {
    const RangeMasks& m = ranges_[range];
    const std::size_t words = scratch.words;
    const std::uint32_t bit = 1u << event % 32;
    std::uint32_t* const first = &scratch.bounds[m.first_bound * words];
    if (scratch.has_numbers[range] != scratch.chunk) {
        scratch.has_numbers[range] = scratch.chunk;
        scratch.ranges.push_back(range);
        std::fill_n(first, (m.los.size() + m.his.size()) * words, 0);
    }
    std::uint32_t* const bounds = first + event / 32;
    const auto lo = static_cast<std::size_t>(std::lower_bound(m.los.begin(), m.los.end(), p.lo_end) - m.los.begin());
    const auto hi = static_cast<std::size_t>(std::lower_bound(m.his.begin(), m.his.end(), p.hi_begin) - m.his.begin());
    if (lo > 0) bounds[(lo - 1) * words] |= bit;
    if (hi < m.his.size()) bounds[(m.los.size() + hi) * words] |= bit;
}

// Number 0 and the negated literals, whose masks begin with all bits set, are in every row that could hold without a
// positive literal.
void ClusterRows::leave_out(std::size_t event, Scratch& scratch) const {
    const std::size_t words = scratch.words, word = event / 32;
    const std::uint32_t others = ~(1u << event % 32);
    scratch.valid[word] &= others;
    for (const std::uint32_t page : scratch.pages) {
        auto full = std::lower_bound(full_literals_.begin(), full_literals_.end(), page * page_literals);
        for (; full != full_literals_.end() && *full < (page + 1) * page_literals; ++full)
            scratch.masks[*full * words + word] &= others;
    }
}

// The events at a bound are those set at it and, for los, those above; for his, those below. `words`: the scratch's, as
// a constant where it is known, since a batch may have tens of thousands of ranges.
template <class Words>
void ClusterRows::finish_ranges(const RangeMasks& m, Words words, Scratch& scratch) const {
    std::uint32_t* const los = &scratch.bounds[m.first_bound * words];
    std::uint32_t* const his = los + m.los.size() * words;
    std::array<std::uint32_t, words_max> above = {}, below = {};
    for (std::size_t k = m.los.size(); k-- > 0;) {
        for (std::size_t w = 0; w < words; ++w) los[k * words + w] = above[w] |= los[k * words + w];
    }
    for (std::size_t k = 0; k < m.his.size(); ++k) {
        for (std::size_t w = 0; w < words; ++w) his[k * words + w] = below[w] |= his[k * words + w];
    }
    std::uint32_t page = engine::none;
    for (const RangeMask& r : m.ranges) {  // ascending, so that most are of the page before
        if (r.literal / page_literals != page) make_page(page = r.literal / page_literals, scratch);
        std::uint32_t* const of_range = &scratch.masks[r.literal * words];
        std::uint32_t any = 0;
        for (std::size_t w = 0; w < words; ++w) {
            const std::uint32_t inside = los[r.lo * words + w] & his[r.hi * words + w];
            any |= inside;
            of_range[w] = r.negated ? scratch.valid[w] & ~inside : inside;
        }
        if (r.leads && any != 0) lead(r.literal, scratch);
    }
}

void ClusterRows::finish_ranges(Scratch& scratch) const {
    for (const std::uint32_t range : scratch.ranges) {  // the masks of others are as they are made
        if (scratch.words == 1)
            finish_ranges(ranges_[range], std::integral_constant<std::size_t, 1>(), scratch);
        else
            finish_ranges(ranges_[range], scratch.words, scratch);
    }
}

// Whether the block's access literal holds for some event.
bool ClusterRows::may_hold(std::uint32_t number, Scratch& scratch) const {
    const std::uint32_t literal = blocks_[number].access;
    finish_page(literal / page_literals, scratch);
    const std::uint32_t* const access = &scratch.masks[literal * scratch.words];
    return std::any_of(access, access + scratch.words, [](std::uint32_t events) { return events != 0; });
}

std::size_t ClusterRows::run(std::uint32_t number, Scratch& scratch, std::size_t hits) const {
    static const auto narrow = cluster_kernel<std::uint16_t>(simd::best_instruction_set());
    static const auto wide = cluster_kernel<std::uint32_t>(simd::best_instruction_set());
    const ClusterBlock& block = blocks_[number];
    for (std::uint32_t i = first_page_[number]; i < first_page_[number + 1] && scratch.unfinished != 0; ++i)
        finish_page(block_pages_[i], scratch);
    ++scratch.blocks_run;
    ClusterHit* const room = scratch.hits.data() + hits;
    if (columns32_.empty()) return narrow(block, columns16_.data(), scratch.masks.data(), scratch.words, room);
    return wide(block, columns32_.data(), scratch.masks.data(), scratch.words, room);
}

// Turns hits into accepted rows, and returns their number.
std::size_t ClusterRows::resolve(const engine::PredicateTables& tables, std::size_t first_event, std::size_t hits,
                                 ScanCache& scans, Scratch& scratch, DeferredRows& deferred) const {
    scratch.accepted.resize(std::max(scratch.accepted.size(), hits));
    const auto first_word = static_cast<std::uint32_t>(first_event / 32);
    std::size_t n = 0;
    for (std::size_t i = 0; i < hits; ++i) {
        if (i + prefetch_distance < hits) prefetch(&targets_[scratch.hits[i + prefetch_distance].row]);
        const ClusterHit& hit = scratch.hits[i];
        const std::uint32_t target = targets_[hit.row];
        std::uint32_t events = hit.events;
        if ((target & tail_flag) != 0) events = decide_tail(tables, hit, first_event, scans, scratch, deferred);
        scratch.accepted[n] = {target & ~tail_flag, first_word + hit.word, events};
        n += static_cast<std::size_t>(events != 0);
    }
    return n;
}

std::uint32_t ClusterRows::column(const ClusterBlock& block, std::uint32_t row, std::uint32_t j) const {
    const std::size_t at = block.first_column + std::size_t{j} * block.rows + (row - block.first_row);
    return columns32_.empty() ? columns16_[at] : columns32_[at];
}

std::span<const std::uint32_t> ClusterRows::tail(std::uint32_t row) const {
    const auto at = std::lower_bound(tails_.begin(), tails_.end(), std::pair(row, 0u));
    if (at == tails_.end() || at->first != row) return {};
    const std::size_t end = at + 1 == tails_.end() ? tail_codes_.size() : (at + 1)->second;
    return std::span(tail_codes_).subspan(at->second, end - at->second);
}

void ClusterRows::row_codes(const ClusterBlock& block, std::uint32_t row, std::vector<std::uint32_t>& codes) const {
    codes.clear();
    if (block.access != 0 && !block.implied) codes.push_back(literals_[block.access]);
    for (std::uint32_t j = 0; j < block.literals; ++j) codes.push_back(literals_[column(block, row, j)]);
    for (const std::uint32_t code : tail(row))
        codes.push_back((code & late_flag) != 0 ? code & ~late_flag : literals_[code]);
}

// The events for which the row holds; none if it is deferred.
std::uint32_t ClusterRows::decide_tail(const engine::PredicateTables& tables, const ClusterHit& hit,
                                       std::size_t first_event, ScanCache& scans, const Scratch& scratch,
                                       DeferredRows& deferred) const {
    ClusterHit late{hit.row, static_cast<std::uint32_t>(first_event / 32) + hit.word, hit.events};
    for (const std::uint32_t code : tail(hit.row)) {
        if ((code & late_flag) == 0) late.events &= scratch.masks[code * scratch.words + hit.word];
    }
    return decide_late(tables, late, scans, deferred);
}

// The same once the literals with masks hold; the hit's word counts within the batch. Events for which a scanned
// literal is undecided are left to the row's other literals.
std::uint32_t ClusterRows::decide_late(const engine::PredicateTables& tables, const ClusterHit& hit, ScanCache& scans,
                                       DeferredRows& deferred) const {
    std::uint32_t events = hit.events, unknown = 0;
    const std::uint32_t target = targets_[hit.row] & ~tail_flag;
    const std::span<const std::uint32_t> codes = tail(hit.row);
    for (std::size_t i = 0; i < codes.size() && events != 0; ++i) {
        if ((codes[i] & late_flag) == 0) continue;
        const engine::LiteralCode literal(codes[i]);
        if (literal.family() == engine::Family::measured) {
            deferred.add({target, hit.word, events}, unknown, codes.subspan(i));
            return 0;
        }
        for (std::uint32_t left = events; left != 0; left &= left - 1) {
            const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
            const std::uint32_t event = 32 * hit.word + bit;
            const std::optional<bool> answer = scans.holds(tables.scanned(literal), literal.negated(), event);
            if (!answer) unknown |= 1u << bit;
            if (!answer.value_or(true)) events &= ~(1u << bit);
        }
    }
    unknown &= events;
    if (unknown != 0) scans.undecided().push_back({target, hit.word, unknown});
    return events & ~unknown;
}

void ClusterRows::finish(const engine::PredicateTables& tables, std::span<const ClusterHit> hits, ScanCache& scans,
                         DeferredRows& deferred, std::vector<Accepted>& accepted) const {
    for (const ClusterHit& hit : hits) {
        const std::uint32_t target = targets_[hit.row];
        std::uint32_t events = hit.events;
        if ((target & tail_flag) != 0) events = decide_late(tables, hit, scans, deferred);
        if (events != 0) accepted.push_back({target & ~tail_flag, hit.word, events});
    }
}

}  // namespace sluice::cpu
