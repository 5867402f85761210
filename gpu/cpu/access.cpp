#include "gpu/cpu/access.hpp"

#include <algorithm>

namespace sluice {

namespace {

constexpr std::uint32_t cells_max = 1024;        // of one attribute and level
constexpr double scanned_share = 1.0 / 32;       // conjunctions less selective than this are scanned
constexpr double second_share = 0.25;            // a second token must be at least this selective
constexpr std::uint32_t one_token_rows_max = 8;  // more rows than this under one token ask for a second
constexpr double text_selectivity = 1.0 / 64;    // contains, starts-with, ends-with
constexpr double existence_selectivity = 1.0 / 2;

double range_selectivity(const RangeTable& ranges, const RangeCell& c) {
    return std::min(1.0, static_cast<double>(2u << c.level) / static_cast<double>(ranges.bounds(c.attribute)));
}

}  // namespace

RangeCell cell_of(const RangeTable& ranges, const RankedRange& range) {
    const std::uint32_t last = std::max(range.lo, range.hi);
    std::uint32_t level = 0;
    while ((last >> level) - (range.lo >> level) > 1 || ranges.bounds(range.attribute) >> level > cells_max) ++level;
    return {range.attribute, level, range.lo >> level};
}

AccessChooser::AccessChooser(const PredicateTables& tables) : tables_(tables), led_(tables.bits()) {
    equality_selectivity_.assign(tables.attributes(), 1);
    for (const Family family : {Family::equal, Family::number_equal}) {
        for (std::uint32_t i = 0; i < tables.size(family); ++i)
            equality_selectivity_[tables.attribute_of(LiteralCode(family, i))] += 1;
    }
    for (double& operands : equality_selectivity_) operands = 1 / operands;
}

std::optional<AccessToken> AccessChooser::token(LiteralCode code) const {
    if (code.negated() || code.is_not_equal() || code.family() == Family::scanned) return std::nullopt;
    if (code.family() == Family::range) {
        const RangeCell cell = cell_of(tables_.ranges(), tables_.ranges().ranked(code.index()));
        return AccessToken{code, token_key(cell), range_selectivity(tables_.ranges(), cell)};
    }
    double selectivity = text_selectivity;
    if (code.family() == Family::exists) selectivity = existence_selectivity;
    if (code.family() == Family::equal || code.family() == Family::number_equal)
        selectivity = equality_selectivity_[tables_.attribute_of(code)];
    return AccessToken{code, token_key(code), selectivity};
}

AccessChooser::Best AccessChooser::best(std::span<const std::uint32_t> codes) const {
    Best best;
    for (const std::uint32_t bits : codes) {
        const auto candidate = token(LiteralCode(bits));
        if (!candidate) continue;
        if (!best.first || candidate->selectivity < best.first->selectivity) {
            best.second = best.first;
            best.first = candidate;
        } else if (!best.second || candidate->selectivity < best.second->selectivity) {
            best.second = candidate;
        }
    }
    return best;
}

void AccessChooser::count(std::span<const std::uint32_t> codes) {
    if (const Best b = best(codes); b.first && b.first->code.is_bit()) ++led_[tables_.bit(b.first->code)];
}

AccessChoice AccessChooser::choose(std::span<const std::uint32_t> codes) const {
    const Best b = best(codes);
    AccessChoice choice{AccessChoice::by_scan, b.first, b.second};
    if (!b.first) return choice;
    const bool crowded = !b.first->code.is_bit() || led_[tables_.bit(b.first->code)] > one_token_rows_max;
    const bool pair = crowded && b.second && b.second->selectivity <= second_share;
    if (b.first->selectivity * (pair ? b.second->selectivity : 1) > scanned_share) return choice;
    choice.kind = pair ? AccessChoice::by_two : AccessChoice::by_one;
    return choice;
}

}  // namespace sluice
