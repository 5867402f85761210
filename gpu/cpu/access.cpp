#include "gpu/cpu/access.hpp"

#include <algorithm>
#include <cmath>

namespace sluice {

namespace {

constexpr double scanned_share = 1.0 / 32;       // conjunctions less selective than this are scanned
constexpr double second_share = 0.25;            // a second token must be at least this selective
constexpr std::uint32_t one_token_rows_max = 8;  // more rows than this under one token ask for a second
constexpr double text_selectivity = 1.0 / 64;    // contains, starts-with, ends-with
constexpr double existence_selectivity = 1.0 / 2;

}  // namespace

RangeCell cell_of(const RankedRange& range, std::uint32_t width) {
    const std::uint32_t last = std::max(range.lo, range.hi) / width, first = range.lo / width;
    std::uint32_t level = 0;
    while ((last >> level) - (first >> level) > 1) ++level;
    return {range.attribute, level, first >> level};
}

// With c cells an event finds about 2 / c of the rows by each of its tokens and (2 / c)² by a pair: so many cells as
// keep that at a few hundred rows.
std::uint32_t pair_width(std::uint32_t bounds, std::size_t rows) {
    const double cells = std::max(8.0, std::sqrt(static_cast<double>(rows)) / 10);
    return std::max(1u, static_cast<std::uint32_t>(bounds / cells));
}

AccessChooser::AccessChooser(const PredicateTables& tables, const ObservedShares* observed)
    : tables_(tables), observed_(observed), led_(tables.bits()) {
    equality_selectivity_.assign(tables.attributes(), 1);
    for (const Family family : {Family::equal, Family::number_equal}) {
        for (std::uint32_t i = 0; i < tables.size(family); ++i)
            equality_selectivity_[tables.attribute_of(LiteralCode(family, i))] += 1;
    }
    for (double& operands : equality_selectivity_) operands = 1 / operands;
    for (std::uint32_t i = 0; i < tables.ranges().size(); ++i)
        range_selectivity_.push_back(range_selectivity(LiteralCode(Family::range, i), 1));
}

double AccessChooser::range_selectivity(LiteralCode code, std::uint32_t width) const {
    const RankedRange& range = tables_.ranges().ranked(code.index());
    const RangeCell cell = cell_of(range, width);
    const double bounds = static_cast<double>(std::uint64_t{width} << cell.level);
    const double prior = std::min(1.0, 2 * bounds / tables_.ranges().bounds(range.attribute));
    return observed_ != nullptr ? observed_->of(cell, width, prior) : prior;
}

AccessChooser::Candidate AccessChooser::bit_candidate(LiteralCode code, double prior) const {
    return {code, observed_ != nullptr ? observed_->of(code, prior) : prior};
}

std::optional<AccessChooser::Candidate> AccessChooser::candidate(LiteralCode code) const {
    if (code.negated() || code.is_not_equal()) return std::nullopt;
    switch (code.family()) {
        case Family::scanned:
            return std::nullopt;
        case Family::range:
            return Candidate{code, range_selectivity_[code.index()]};
        case Family::exists:
            return bit_candidate(code, existence_selectivity);
        case Family::equal:
        case Family::number_equal:
            return bit_candidate(code, equality_selectivity_[tables_.attribute_of(code)]);
        default:
            return bit_candidate(code, text_selectivity);
    }
}

double AccessChooser::pair_selectivity(const Candidate& c) const {
    if (c.code.is_bit()) return c.selectivity;
    const std::uint32_t attribute = tables_.ranges().ranked(c.code.index()).attribute;
    return range_selectivity(c.code, pair_width(tables_.ranges().bounds(attribute), counted_));
}

AccessChooser::Best AccessChooser::best(std::span<const std::uint32_t> codes) const {
    Best best;
    for (const std::uint32_t bits : codes) {
        const auto c = candidate(LiteralCode(bits));
        if (!c) continue;
        if (!best.first || c->selectivity < best.first->selectivity) {
            best.second = best.first;
            best.first = c;
        } else if (!best.second || c->selectivity < best.second->selectivity) {
            best.second = c;
        }
    }
    return best;
}

void AccessChooser::count(std::span<const std::uint32_t> codes) {
    ++counted_;
    if (const Best b = best(codes); b.first && b.first->code.is_bit()) ++led_[tables_.bit(b.first->code)];
}

AccessChoice AccessChooser::choose(std::span<const std::uint32_t> codes) const {
    const Best b = best(codes);
    AccessChoice choice;
    if (!b.first) return choice;
    choice.first = b.first->code;
    choice.found = b.first->selectivity;
    const double rows =
        b.first->code.is_bit() ? led_[tables_.bit(b.first->code)] : choice.found * static_cast<double>(counted_);
    if (b.second && rows > one_token_rows_max) {
        const double second = pair_selectivity(*b.second), both = pair_selectivity(*b.first) * second;
        if (second <= second_share && both < choice.found) {
            choice.second = b.second->code;
            choice.found = both;
        }
    }
    if (choice.found <= scanned_share || rows <= one_token_rows_max)
        choice.kind = choice.second ? AccessChoice::by_two : AccessChoice::by_one;
    return choice;
}

}  // namespace sluice
