#include "gpu/cpu/scan_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

namespace sluice {

namespace {

constexpr std::size_t mask_bytes_max = 512u << 10;  // what the masks of a chunk may take, so that they stay in cache
constexpr std::uint32_t access_rows_min = 16;       // fewer rows under an access literal are not worth a block

bool is_scanned(std::uint32_t code) { return LiteralCode(code).family() == Family::scanned; }
bool is_measured(std::uint32_t code) { return LiteralCode(code).family() == Family::measured; }

// Leaves of the ranks, all below `end`, each once and ascending; returns where each of them now stands.
std::vector<std::uint32_t> renumber(std::vector<std::uint32_t>& ranks, std::uint32_t end) {
    std::vector<std::uint32_t> place(end, none);
    for (const std::uint32_t rank : ranks) place[rank] = 0;
    ranks.clear();
    for (std::uint32_t rank = 0; rank < end; ++rank) {
        if (place[rank] == none) continue;
        place[rank] = static_cast<std::uint32_t>(ranks.size());
        ranks.push_back(rank);
    }
    ranks.shrink_to_fit();
    return place;
}

}  // namespace

std::uint32_t ScanRows::literal(std::uint32_t code) {
    if (const std::uint32_t known = find(code); known != none) return known;
    const auto number = static_cast<std::uint32_t>(literals_.size());
    literals_.push_back(code);
    led_.resize(literals_.size());
    index_.insert(mix(code), number, [this](std::uint32_t i) { return mix(literals_[i]); });
    return number;
}

void ScanRows::add(std::uint32_t target, const AccessChoice& choice, std::span<const std::uint32_t> codes) {
    Draft draft{target, 0, static_cast<std::uint32_t>(draft_codes_.size()), 0, 0, false};
    if (choice.literals[0]) ++led_[draft.access = literal(choice.literals[0]->bits())];
    for (const std::uint32_t code : codes) {
        if (!is_scanned(code) && !is_measured(code)) draft_codes_.push_back(literal(code));
    }
    draft.size = draft.tail = static_cast<std::uint32_t>(draft_codes_.size()) - draft.begin;
    for (const auto is_late : {is_scanned, is_measured}) {
        for (const std::uint32_t code : codes) {
            if (is_late(code)) draft_codes_.push_back(late_flag | code);
        }
    }
    draft.size = static_cast<std::uint32_t>(draft_codes_.size()) - draft.begin;
    draft.tail = std::min<std::uint32_t>(draft.tail, row_literals_max);
    drafts_.push_back(draft);
}

void ScanRows::build(const PredicateTables& tables) {
    if (drafts_.empty()) return;
    for (std::size_t i = 1; i < literals_.size(); ++i) {
        const LiteralCode code(literals_[i]);
        const auto number = static_cast<std::uint32_t>(i);
        if (code.is_not_equal()) {
            const std::uint32_t exists = literal(LiteralCode(Family::exists, tables.attribute_of(code)).bits());
            not_equals_.push_back({number, exists, code.negated()});
        } else if (code.negated()) {
            full_literals_.push_back(number);
        }
    }
    build_range_masks(tables);
    choose_access(tables);
    build_blocks();
    led_ = std::vector<std::uint32_t>();
    drafts_ = std::vector<Draft>();
    draft_codes_ = std::vector<std::uint32_t>();
    for (auto* v : {&columns32_, &targets_, &tail_codes_, &literals_}) v->shrink_to_fit();
    columns16_.shrink_to_fit();
    blocks_.shrink_to_fit();
}

void ScanRows::build_range_masks(const PredicateTables& tables) {
    ranges_of_.assign(tables.attributes(), none);
    for (std::size_t i = 1; i < literals_.size(); ++i) {
        const LiteralCode code(literals_[i]);
        if (code.family() != Family::range) continue;
        const RankedRange& range = tables.ranges().ranked(code.index());
        std::uint32_t& at = ranges_of_[range.attribute];
        if (at == none) {
            at = static_cast<std::uint32_t>(ranges_.size());
            ranges_.push_back({range.attribute, {}, {}, {}, 0});
        }
        ranges_[at].los.push_back(range.lo);
        ranges_[at].his.push_back(range.hi);
        ranges_[at].ranges.push_back({static_cast<std::uint32_t>(i), range.lo, range.hi, code.negated()});
    }
    for (RangeMasks& m : ranges_) {
        const std::uint32_t bounds = tables.ranges().bounds(m.attribute);
        const std::vector<std::uint32_t> lo = renumber(m.los, bounds), hi = renumber(m.his, bounds);
        for (RangeMask& r : m.ranges) {
            r.lo = lo[r.lo];
            r.hi = hi[r.hi];
        }
        m.first_bound = bounds_;
        bounds_ += m.los.size() + m.his.size();
    }
}

// A literal that enough rows share moves to the front of its row, and out of its columns. Where there is none, a block
// can still be skipped if no event has the attribute of the row's most selective literal.
void ScanRows::choose_access(const PredicateTables& tables) {
    for (Draft& d : drafts_) {
        if (d.access == 0) continue;
        const auto begin = draft_codes_.begin() + d.begin;
        const auto access = std::find(begin, begin + d.tail, d.access);
        if (led_[d.access] >= access_rows_min && access != begin + d.tail) {
            std::rotate(begin, access, access + 1);
        } else {
            const std::uint32_t attribute = tables.attribute_of(LiteralCode(literals_[d.access]));
            d.access = literal(LiteralCode(Family::exists, attribute).bits());
            d.implied = true;
        }
    }
}

void ScanRows::build_blocks() {
    std::sort(drafts_.begin(), drafts_.end(), [&](const Draft& a, const Draft& b) {
        return std::tuple(a.access, a.implied, a.columns()) < std::tuple(b.access, b.implied, b.columns());
    });
    const bool narrow = literals_.size() <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
    for (std::size_t first = 0, end = 0; first < drafts_.size(); first = end) {
        const Draft& head = drafts_[first];
        const auto same = [&](const Draft& d) {
            return d.access == head.access && d.implied == head.implied && d.columns() == head.columns();
        };
        while (end < drafts_.size() && end - first < ScanBlock::rows_max && same(drafts_[end])) ++end;
        append_block(std::span(drafts_).subspan(first, end - first), narrow);
    }
}

void ScanRows::append_block(std::span<const Draft> rows, bool narrow) {
    ScanBlock block;
    block.first_column = narrow ? columns16_.size() : columns32_.size();
    block.first_row = static_cast<std::uint32_t>(targets_.size());
    block.access = rows.front().access;
    block.implied = rows.front().implied;
    block.literals = static_cast<std::uint16_t>(rows.front().columns());
    block.rows = static_cast<std::uint16_t>(rows.size());
    blocks_.push_back(block);
    for (std::uint32_t j = 0; j < block.literals; ++j) {
        for (const Draft& d : rows) {
            const std::uint32_t number = draft_codes_[d.begin + d.tail - block.literals + j];
            if (narrow) {
                columns16_.push_back(static_cast<std::uint16_t>(number));
            } else {
                columns32_.push_back(number);
            }
        }
    }
    for (const Draft& d : rows) {
        const bool has_tail = d.tail < d.size;
        if (has_tail) {
            tails_.emplace_back(static_cast<std::uint32_t>(targets_.size()),
                                static_cast<std::uint32_t>(tail_codes_.size()));
            const auto codes = draft_codes_.begin() + d.begin;
            tail_codes_.insert(tail_codes_.end(), codes + d.tail, codes + d.size);
        }
        targets_.push_back(d.target | (has_tail ? tail_flag : 0));
    }
}

std::size_t ScanRows::words_at_once() const {
    std::size_t words = words_max;
    while (words > 1 && words * literals_.size() * sizeof(std::uint32_t) > mask_bytes_max) words /= 2;
    return words;
}

void ScanRows::begin(std::size_t events, Scratch& scratch) const {
    const std::size_t words = std::bit_ceil((events + 31) / 32);
    scratch.words = words;
    scratch.valid.assign(words, 0);
    for (std::size_t e = 0; e < events; ++e) scratch.valid[e / 32] |= 1u << e % 32;
    scratch.masks.assign(literals_.size() * words, 0);
    scratch.bounds.assign(bounds_ * words, 0);
    scratch.has_numbers.assign(ranges_.size(), false);
    std::copy(scratch.valid.begin(), scratch.valid.end(), scratch.masks.begin());
    for (const std::uint32_t literal : full_literals_)
        std::copy(scratch.valid.begin(), scratch.valid.end(), &scratch.masks[literal * words]);
}

void ScanRows::set(const EventState& state, std::size_t event, Scratch& scratch) const {
    const std::size_t words = scratch.words, word = event / 32;
    const std::uint32_t bit = 1u << event % 32;
    for (const std::uint32_t bits : state.true_codes) {
        const LiteralCode code(bits);
        const std::uint32_t positive = find(bits), negated = find(bits | 1);
        if (positive != none) scratch.masks[positive * words + word] |= bit;
        if (negated == none) continue;
        if (code.is_not_equal())
            scratch.masks[negated * words + word] |= bit;
        else
            scratch.masks[negated * words + word] &= ~bit;
    }
    for (const std::uint32_t attribute : state.with_numbers) {
        if (ranges_of_[attribute] == none) continue;
        const RangeMasks& m = ranges_[ranges_of_[attribute]];
        scratch.has_numbers[ranges_of_[attribute]] = true;
        const NumberPosition& p = state.positions[attribute];
        std::uint32_t* const bounds = &scratch.bounds[m.first_bound * words + word];
        const auto lo =
            static_cast<std::size_t>(std::lower_bound(m.los.begin(), m.los.end(), p.lo_end) - m.los.begin());
        const auto hi =
            static_cast<std::size_t>(std::lower_bound(m.his.begin(), m.his.end(), p.hi_begin) - m.his.begin());
        if (lo > 0) bounds[(lo - 1) * words] |= bit;
        if (hi < m.his.size()) bounds[(m.los.size() + hi) * words] |= bit;
    }
}

// The events at a bound are those set at it and, for los, those above; for his, those below.
void ScanRows::finish_ranges(Scratch& scratch) const {
    const std::size_t words = scratch.words;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
        if (!scratch.has_numbers[i]) continue;  // the masks are what begin() made them
        const RangeMasks& m = ranges_[i];
        std::uint32_t* const los = &scratch.bounds[m.first_bound * words];
        std::uint32_t* const his = los + m.los.size() * words;
        for (std::size_t k = (m.los.size() - 1) * words; k-- > 0;) los[k] |= los[k + words];
        for (std::size_t k = words; k < m.his.size() * words; ++k) his[k] |= his[k - words];
        for (const RangeMask& r : m.ranges) {
            std::uint32_t* const mask = &scratch.masks[r.literal * words];
            for (std::size_t w = 0; w < words; ++w) {
                const std::uint32_t inside = los[r.lo * words + w] & his[r.hi * words + w];
                mask[w] = r.negated ? scratch.valid[w] & ~inside : inside;
            }
        }
    }
}

void ScanRows::finish_masks(Scratch& scratch) const {
    finish_ranges(scratch);
    const std::size_t words = scratch.words;
    for (const NotEqualMask& n : not_equals_) {
        for (std::size_t w = 0; w < words; ++w) {
            std::uint32_t& mask = scratch.masks[n.literal * words + w];
            const std::uint32_t holds = scratch.masks[n.exists * words + w] & ~mask;
            mask = n.negated ? scratch.valid[w] & ~holds : holds;
        }
    }
}

std::size_t ScanRows::run(const ScanBlock& block, Scratch& scratch, std::size_t hits) const {
    static const auto narrow = scan_kernel<std::uint16_t>(best_instruction_set());
    static const auto wide = scan_kernel<std::uint32_t>(best_instruction_set());
    ScanHit* const room = scratch.hits.data() + hits;
    if (columns32_.empty()) return narrow(block, columns16_.data(), scratch.masks.data(), scratch.words, room);
    return wide(block, columns32_.data(), scratch.masks.data(), scratch.words, room);
}

// Turns hits into what they accept, and says how many there are.
std::size_t ScanRows::resolve(const PredicateTables& tables, std::size_t first_event, std::size_t hits,
                              ScanCache& scans, Scratch& scratch, DeferredRows& deferred) const {
    scratch.accepted.resize(std::max(scratch.accepted.size(), hits));
    const auto first_word = static_cast<std::uint32_t>(first_event / 32);
    std::size_t n = 0;
    for (std::size_t i = 0; i < hits; ++i) {
        if (i + prefetch_distance < hits) prefetch(&targets_[scratch.hits[i + prefetch_distance].row]);
        const ScanHit& hit = scratch.hits[i];
        const std::uint32_t target = targets_[hit.row];
        std::uint32_t events = hit.events;
        if ((target & tail_flag) != 0) events = decide_tail(tables, hit, first_event, scans, scratch, deferred);
        scratch.accepted[n] = {target & ~tail_flag, first_word + hit.word, events};
        n += static_cast<std::size_t>(events != 0);
    }
    return n;
}

std::uint32_t ScanRows::column(const ScanBlock& block, std::uint32_t row, std::uint32_t j) const {
    const std::size_t at = block.first_column + std::size_t{j} * block.rows + (row - block.first_row);
    return columns32_.empty() ? columns16_[at] : columns32_[at];
}

std::span<const std::uint32_t> ScanRows::tail(std::uint32_t row) const {
    const auto at = std::lower_bound(tails_.begin(), tails_.end(), std::pair(row, 0u));
    if (at == tails_.end() || at->first != row) return {};
    const std::size_t end = at + 1 == tails_.end() ? tail_codes_.size() : (at + 1)->second;
    return std::span(tail_codes_).subspan(at->second, end - at->second);
}

void ScanRows::row_codes(const ScanBlock& block, std::uint32_t row, std::vector<std::uint32_t>& codes) const {
    codes.clear();
    if (block.access != 0 && !block.implied) codes.push_back(literals_[block.access]);
    for (std::uint32_t j = 0; j < block.literals; ++j) codes.push_back(literals_[column(block, row, j)]);
    for (const std::uint32_t code : tail(row))
        codes.push_back((code & late_flag) != 0 ? code & ~late_flag : literals_[code]);
}

// The events for which the row holds; none if it is deferred.
std::uint32_t ScanRows::decide_tail(const PredicateTables& tables, const ScanHit& hit, std::size_t first_event,
                                    ScanCache& scans, const Scratch& scratch, DeferredRows& deferred) const {
    ScanHit late{hit.row, static_cast<std::uint32_t>(first_event / 32) + hit.word, hit.events};
    for (const std::uint32_t code : tail(hit.row)) {
        if ((code & late_flag) == 0) late.events &= scratch.masks[code * scratch.words + hit.word];
    }
    return decide_late(tables, late, scans, deferred);
}

// The same where the literals that have masks hold; the hit's word is one of the batch.
std::uint32_t ScanRows::decide_late(const PredicateTables& tables, const ScanHit& hit, ScanCache& scans,
                                    DeferredRows& deferred) const {
    std::uint32_t events = hit.events;
    const std::uint32_t target = targets_[hit.row] & ~tail_flag;
    const std::span<const std::uint32_t> codes = tail(hit.row);
    for (std::size_t i = 0; i < codes.size() && events != 0; ++i) {
        if ((codes[i] & late_flag) == 0) continue;
        const LiteralCode literal(codes[i]);
        if (literal.family() == Family::measured) {
            deferred.add({target, hit.word, events}, codes.subspan(i));
            return 0;
        }
        for (std::uint32_t left = events; left != 0; left &= left - 1) {
            const auto bit = static_cast<std::uint32_t>(std::countr_zero(left));
            const std::uint32_t event = 32 * hit.word + bit;
            if (!scans.holds(tables.scanned(literal), literal.negated(), event, target)) events &= ~(1u << bit);
        }
    }
    return events;
}

void ScanRows::finish(const PredicateTables& tables, std::span<const ScanHit> hits, ScanCache& scans,
                      DeferredRows& deferred, std::vector<Accepted>& accepted) const {
    for (const ScanHit& hit : hits) {
        const std::uint32_t target = targets_[hit.row];
        std::uint32_t events = hit.events;
        if ((target & tail_flag) != 0) events = decide_late(tables, hit, scans, deferred);
        if (events != 0) accepted.push_back({target & ~tail_flag, hit.word, events});
    }
}

std::size_t ScanRows::bytes() const {
    std::size_t sum = 4 * (literals_.capacity() + full_literals_.capacity() + ranges_of_.capacity() +
                           columns32_.capacity() + targets_.capacity() + tail_codes_.capacity()) +
                      2 * columns16_.capacity() + 8 * tails_.capacity() + index_.bytes() +
                      not_equals_.capacity() * sizeof(NotEqualMask) + blocks_.capacity() * sizeof(ScanBlock);
    for (const RangeMasks& m : ranges_)
        sum += 4 * (m.los.capacity() + m.his.capacity()) + m.ranges.capacity() * sizeof(RangeMask);
    return sum;
}

}  // namespace sluice
