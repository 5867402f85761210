#include "gpu/cpu/segment/access.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sluice::cpu {

namespace {

constexpr double clustered_share = 1.0 / 32;     // less selective conjunctions go to clusters
constexpr double further_share = 0.25;           // a second or third token must be at least this selective
constexpr std::uint32_t one_token_rows_max = 8;  // more rows than this under one token call for a second
constexpr double text_selectivity = 1.0 / 64;    // contains, starts-with, ends-with
constexpr double existence_selectivity = 1.0 / 2;

}  // namespace

RangeCell cell_of(const engine::RankedRange& range, std::uint32_t width) {
    const std::uint32_t last = std::max(range.lo, range.hi) / width, first = range.lo / width;
    std::uint32_t level = 0;
    while ((last >> level) - (first >> level) > 1) ++level;
    return {range.attribute, level, first >> level};
}

// With c cells an event finds about 2 / c of the rows by each of its tokens, (2 / c)² by a pair and (2 / c)³ by three.
// The number of cells keeps that at a few hundred rows, or a few dozen.
std::uint32_t grid_width(std::uint32_t bounds, std::size_t rows, std::uint32_t tokens) {
    if (tokens == 1) return 1;
    const auto n = static_cast<double>(rows);
    const double cells = 2 * (tokens == 2 ? std::sqrt(n / 400) : std::cbrt(n / 64));
    return std::max(1u, static_cast<std::uint32_t>(bounds / std::max(8.0, cells)));
}

AccessChooser::AccessChooser(const engine::PredicateTables& tables, const ObservedShares* observed)
    : tables_(tables),
      observed_(observed),
      led_(tables.bits()),
      tokens_(tables.attributes()),
      token_counted_(tables.bits()),
      range_counted_(tables.attributes()) {
    equality_selectivity_.assign(tables.attributes(), 1);
    for (const engine::Family family : {engine::Family::equal, engine::Family::number_equal}) {
        for (std::uint32_t i = 0; i < tables.size(family); ++i)
            equality_selectivity_[tables.attribute_of(engine::LiteralCode(family, i))] += 1;
    }
    for (double& operands : equality_selectivity_) operands = 1 / operands;
    for (std::uint32_t i = 0; i < tables.ranges().size(); ++i)
        range_selectivity_.push_back(range_selectivity(engine::LiteralCode(engine::Family::range, i), 1));
}

double AccessChooser::range_selectivity(engine::LiteralCode code, std::uint32_t width) const {
    const engine::RankedRange& range = tables_.ranges().ranked(code.index());
    const RangeCell cell = cell_of(range, width);
    const double bounds = static_cast<double>(std::uint64_t{width} << cell.level);
    const double prior = std::min(1.0, 2 * bounds / tables_.ranges().bounds(range.attribute));
    return observed_ != nullptr ? observed_->of(cell, width, prior) : prior;
}

AccessChooser::Candidate AccessChooser::bit_candidate(engine::LiteralCode code, double prior) const {
    return {code, observed_ != nullptr ? observed_->of(code, prior) : prior};
}

std::optional<AccessChooser::Candidate> AccessChooser::candidate(engine::LiteralCode code) const {
    if (code.negated() || code.is_not_equal()) return std::nullopt;
    switch (code.family()) {
        case engine::Family::scanned:
        case engine::Family::measured:
            return std::nullopt;
        case engine::Family::range:
            return Candidate{code, range_selectivity_[code.index()]};
        case engine::Family::exists:
            return bit_candidate(code, existence_selectivity);
        case engine::Family::equal:
        case engine::Family::number_equal:
            return bit_candidate(code, equality_selectivity_[tables_.attribute_of(code)]);
        default:
            return bit_candidate(code, text_selectivity);
    }
}

double AccessChooser::selectivity(const Candidate& c, std::uint32_t tokens) const {
    if (c.code.is_bit()) return c.selectivity;
    const std::uint32_t attribute = tables_.ranges().ranked(c.code.index()).attribute;
    return range_selectivity(c.code, grid_width(tables_.ranges().bounds(attribute), counted_, tokens));
}

namespace {

// Inserts c in order into the best ones; the last one may drop out.
template <class Best, class Candidate>
void insert(Best& best, std::optional<Candidate> c) {
    for (auto& better : best) {
        if (!better || c->selectivity < better->selectivity) std::swap(c, better);
        if (!c) return;
    }
}

template <class Best>
double together(const Best& best) {
    double found = 1;
    for (const auto& c : best) found *= c ? c->selectivity : 1;
    return found;
}

}  // namespace

AccessChooser::Best AccessChooser::best(std::span<const std::uint32_t> codes) const {
    Best best;
    for (const std::uint32_t bits : codes) {
        if (const auto c = candidate(engine::LiteralCode(bits))) insert(best, c);
    }
    return best;
}

// The best three of one half; the best two overall if these are better or neither half has three.
AccessChooser::Best AccessChooser::best_of_half(std::span<const std::uint32_t> codes, const Best& best) const {
    std::array<Best, 2> halves;
    for (const std::uint32_t bits : codes) {
        const engine::LiteralCode code(bits);
        if (const auto c = candidate(code)) insert(halves[half_of(tables_.attribute_of(code))], c);
    }
    Best least{best[0], best[1]};
    for (const Best& half : halves) {
        if (half.back() && together(half) < together(least)) least = half;
    }
    return least;
}

// The tokens to find the conjunction by when one alone is not enough; `best` is best(codes).
AccessChooser::Best AccessChooser::best_together(std::span<const std::uint32_t> codes, const Best& best) const {
    switch (threes_) {
        case Triples::of_any:
            return best;
        case Triples::of_one_half:
            return best_of_half(codes, best);
        default:
            return {best[0], best[1]};
    }
}

void AccessChooser::count_token(const Candidate& c) {
    const std::uint32_t attribute = tables_.attribute_of(c.code);
    if (c.code.is_bit()) {
        if (!std::exchange(token_counted_[tables_.bit(c.code)], std::uint8_t{1})) tokens_[attribute] += c.selectivity;
    } else if (!std::exchange(range_counted_[attribute], std::uint8_t{1})) {
        tokens_[attribute] += 2 * bit_candidate(engine::LiteralCode(engine::Family::exists, attribute), 1).selectivity;
    }
}

void AccessChooser::count(std::span<const std::uint32_t> codes) {
    ++counted_;
    const Best b = best(codes);
    if (!b[0]) return;
    if (b[0]->code.is_bit()) ++led_[tables_.bit(b[0]->code)];
    if (b[1]) {
        found_by_two_ += together(Best{b[0], b[1]});
        found_by_three_ += together(b);
        found_by_half_ += together(best_of_half(codes, b));
    }
    for (const auto& c : b) {
        if (c) count_token(*c);
    }
}

// Looking up a combination that leads nowhere costs a fraction of checking a row. If no events have been observed,
// assumes that an event has at most attributes_max of the attributes.
Triples AccessChooser::choose_threes() const {
    constexpr double attributes_max = 20, look_ups_a_row = 12, found_min = 256;
    std::array<double, 2> tokens{};  // by half
    double attributes = 0;
    for (std::uint32_t a = 0; a < tokens_.size(); ++a) {
        tokens[half_of(a)] += tokens_[a];
        attributes += tokens_[a] > 0 ? 1 : 0;
    }
    const double present = observed_ != nullptr ? 1 : std::min(1.0, attributes_max / attributes);
    const auto threes_of = [&](double n) { return std::pow(n * present, 3) / 6; };
    const double pairs_present = present * present;
    if (found_by_two_ * pairs_present <= found_min) return Triples::no;

    Triples best = Triples::no;
    double least = found_by_two_ * pairs_present;
    const auto consider = [&](Triples way, double triples, double found_by_it) {
        const double cost = triples / look_ups_a_row + found_by_it * pairs_present;
        if (cost >= least || 8 * triples >= static_cast<double>(counted_)) return;
        best = way;
        least = cost;
    };
    consider(Triples::of_any, threes_of(tokens[0] + tokens[1]), found_by_three_);
    consider(Triples::of_one_half, threes_of(tokens[0]) + threes_of(tokens[1]), found_by_half_);
    return best;
}

AccessChoice AccessChooser::choose(std::span<const std::uint32_t> codes) const {
    Best b = best(codes);
    AccessChoice choice;
    if (!b[0]) return choice;
    const double rows =
        b[0]->code.is_bit() ? led_[tables_.bit(b[0]->code)] : b[0]->selectivity * static_cast<double>(counted_);
    const bool is_alone = rows <= one_token_rows_max;
    b = is_alone ? Best{b[0]} : best_together(codes, b);
    choice.literals[0] = b[0]->code;
    choice.found = b[0]->selectivity;
    std::uint32_t tokens = 1;
    for (; tokens < AccessChoice::tokens_max && b[tokens]; ++tokens) {
        double found = 1;
        for (std::uint32_t i = 0; i <= tokens; ++i) found *= selectivity(*b[i], tokens + 1);
        if (selectivity(*b[tokens], tokens + 1) > further_share || found >= choice.found) break;
        choice.literals[tokens] = b[tokens]->code;
        choice.found = found;
    }
    if (choice.found <= clustered_share || is_alone) choice.tokens = tokens;
    return choice;
}

}  // namespace sluice::cpu
