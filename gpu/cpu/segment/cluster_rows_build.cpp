// Lays out the rows; cluster_rows.cpp matches them.
#include <algorithm>
#include <limits>
#include <tuple>

#include "gpu/cpu/segment/cluster_rows.hpp"

namespace sluice::cpu {

namespace {

constexpr std::uint32_t access_rows_min = 16;  // fewer rows under an access literal are not worth a block

// Sorts the ranks, all below `end`, and removes duplicates; returns the new place of each rank.
std::vector<std::uint32_t> renumber(std::vector<std::uint32_t>& ranks, std::uint32_t end) {
    std::vector<std::uint32_t> place(end, engine::none);
    for (const std::uint32_t rank : ranks) place[rank] = 0;
    ranks.clear();
    for (std::uint32_t rank = 0; rank < end; ++rank) {
        if (place[rank] == engine::none) continue;
        place[rank] = static_cast<std::uint32_t>(ranks.size());
        ranks.push_back(rank);
    }
    ranks.shrink_to_fit();
    return place;
}

}  // namespace

std::uint32_t ClusterRows::literal(std::uint32_t code) {
    if (const std::uint32_t known = find(code); known != engine::none) return known;
    index_.make_room([this](std::uint32_t i) { return engine::mix(literals_[i]); });
    const auto number = static_cast<std::uint32_t>(literals_.size());
    literals_.push_back(code);
    led_.resize(literals_.size());
    index_.insert(engine::mix(code), number);
    return number;
}

void ClusterRows::add(std::uint32_t target, const AccessChoice& choice, std::span<const std::uint32_t> codes) {
    Draft draft{target, 0, static_cast<std::uint32_t>(draft_codes_.size()), 0, 0, false};
    if (choice.literals[0]) ++led_[draft.access = literal(choice.literals[0]->bits())];
    for (const std::uint32_t code : codes) {
        if (!engine::is_scanned(code) && !engine::is_measured(code)) draft_codes_.push_back(literal(code));
    }
    draft.size = draft.tail = static_cast<std::uint32_t>(draft_codes_.size()) - draft.begin;
    for (const auto is_late : {engine::is_scanned, engine::is_measured}) {
        for (const std::uint32_t code : codes) {
            if (is_late(code)) draft_codes_.push_back(late_flag | code);
        }
    }
    draft.size = static_cast<std::uint32_t>(draft_codes_.size()) - draft.begin;
    draft.tail = std::min<std::uint32_t>(draft.tail, row_literals_max);
    drafts_.push_back(draft);
}

void ClusterRows::build(const engine::PredicateTables& tables) {
    if (drafts_.empty()) return;
    for (std::size_t i = 1; i < literals_.size(); ++i) {
        const engine::LiteralCode code(literals_[i]);
        const auto number = static_cast<std::uint32_t>(i);
        if (code.is_not_equal()) {
            const std::uint32_t exists =
                literal(engine::LiteralCode(engine::Family::exists, tables.attribute_of(code)).bits());
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
    for (auto* v : {&columns32_, &targets_, &tail_codes_, &literals_, &block_pages_}) v->shrink_to_fit();
    columns16_.shrink_to_fit();
    blocks_.shrink_to_fit();
}

void ClusterRows::build_range_masks(const engine::PredicateTables& tables) {
    ranges_of_.assign(tables.attributes(), engine::none);
    for (std::size_t i = 1; i < literals_.size(); ++i) {
        const engine::LiteralCode code(literals_[i]);
        if (code.family() != engine::Family::range) continue;
        const engine::RankedRange& range = tables.ranges().ranked(code.index());
        std::uint32_t& at = ranges_of_[range.attribute];
        if (at == engine::none) {
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

// The literal of the row that most rows without a positive literal share.
std::uint32_t ClusterRows::most_shared(const Draft& draft) const {
    const auto begin = draft_codes_.begin() + draft.begin;
    const auto most = std::max_element(begin, begin + draft.tail,
                                       [this](std::uint32_t a, std::uint32_t b) { return led_[a] < led_[b]; });
    return most != begin + draft.tail && led_[*most] >= access_rows_min ? *most : 0;
}

// An access literal that enough rows share moves to the front of its row, and out of its columns. If there is none, a
// block can still be skipped when no event has the attribute of the row's most selective literal.
void ClusterRows::choose_access(const engine::PredicateTables& tables) {
    for (const Draft& d : drafts_) {
        for (std::uint32_t i = d.begin; d.access == 0 && i < d.begin + d.tail; ++i) ++led_[draft_codes_[i]];
    }
    for (Draft& d : drafts_) {
        if (d.access == 0) d.access = most_shared(d);
        if (d.access == 0) continue;
        const auto begin = draft_codes_.begin() + d.begin;
        const auto access = std::find(begin, begin + d.tail, d.access);
        if (led_[d.access] >= access_rows_min && access != begin + d.tail) {
            std::rotate(begin, access, access + 1);
        } else {
            const std::uint32_t attribute = tables.attribute_of(engine::LiteralCode(literals_[d.access]));
            d.access = literal(engine::LiteralCode(engine::Family::exists, attribute).bits());
            d.implied = true;
        }
    }
}

void ClusterRows::build_blocks() {
    std::sort(drafts_.begin(), drafts_.end(), [&](const Draft& a, const Draft& b) {
        return std::tuple(a.access, a.implied, a.columns()) < std::tuple(b.access, b.implied, b.columns());
    });
    const bool narrow = literals_.size() <= std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;
    for (std::size_t first = 0, end = 0; first < drafts_.size(); first = end) {
        const Draft& head = drafts_[first];
        const auto same = [&](const Draft& d) {
            return d.access == head.access && d.implied == head.implied && d.columns() == head.columns();
        };
        while (end < drafts_.size() && end - first < ClusterBlock::rows_max && same(drafts_[end])) ++end;
        append_block(std::span(drafts_).subspan(first, end - first), narrow);
        note_pages(std::span(drafts_).subspan(first, end - first));
    }
    lead_to_blocks();
}

// The pages with masks that the last block needs.
void ClusterRows::note_pages(std::span<const Draft> rows) {
    const auto first = static_cast<std::ptrdiff_t>(block_pages_.size());
    for (const Draft& d : rows) {
        for (std::uint32_t i = d.begin; i < d.begin + d.size; ++i) {
            if ((draft_codes_[i] & late_flag) == 0) block_pages_.push_back(draft_codes_[i] / page_literals);
        }
    }
    std::sort(block_pages_.begin() + first, block_pages_.end());
    block_pages_.erase(std::unique(block_pages_.begin() + first, block_pages_.end()), block_pages_.end());
    first_page_.push_back(static_cast<std::uint32_t>(block_pages_.size()));
}

// Blocks with one access literal stand side by side.
void ClusterRows::lead_to_blocks() {
    leads_to_.assign(literals_.size(), engine::none);
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
        const std::uint32_t access = blocks_[b].access;
        const engine::LiteralCode code(literals_[access]);
        if (access == 0 || code.negated() || code.is_not_equal()) {
            other_blocks_.push_back(b);
            continue;
        }
        std::uint32_t& led = leads_to_[access];
        if (led == engine::none) {
            led = static_cast<std::uint32_t>(led_blocks_.size());
            led_blocks_.emplace_back(b, b);
        }
        led_blocks_[led].second = b + 1;
    }
    for (RangeMasks& m : ranges_) {
        for (RangeMask& r : m.ranges) r.leads = leads_to_[r.literal] != engine::none;
    }
}

void ClusterRows::append_block(std::span<const Draft> rows, bool narrow) {
    ClusterBlock block;
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

}  // namespace sluice::cpu
