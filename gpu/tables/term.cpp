#include "gpu/tables/term.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sluice::engine {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Term textual(Family family, const Predicate& p) { return {family, false, p.attribute, p.text, 0, 0}; }
Term scanned(const Predicate& p) {
    Term term = textual(Family::scanned, p);
    term.condition = &p.condition;
    return term;
}
Term numeric(Family family, const Predicate& p, double lo, double hi) {
    return {family, false, p.attribute, {}, lo, hi};
}
Term existence(const Predicate& p) { return {Family::exists, false, p.attribute, {}, 0, 0}; }

std::optional<Term> measured(const Predicate& p) {
    const std::optional<operators::Bounds> b = bounds_of(p.op, p.number);
    if (!b) return std::nullopt;
    return Term{Family::measured, false, p.attribute, {}, b->lo, b->hi, b->outside, &*p.measure};
}

std::optional<Term> range(const Predicate& p) {
    const std::optional<operators::Bounds> b = bounds_of(p.op, p.number);
    if (!b) return std::nullopt;
    return numeric(Family::range, p, b->lo, b->hi);
}

// The predicate as a positive term; empty if no value satisfies it.
std::optional<Term> to_term(const Predicate& p) {
    const double c = p.number;
    if (p.measure) return measured(p);
    if (is_numeric(p.op) && std::isnan(c)) {
        if (p.op == Operator::number_not_equal) return existence(p);
        return std::nullopt;
    }
    switch (p.op) {
        case Operator::exists:
            return existence(p);
        case Operator::equal:
            return textual(Family::equal, p);
        case Operator::not_equal:
            return textual(Family::not_equal, p);
        case Operator::contains:
            return p.text.empty() ? existence(p) : textual(Family::contains, p);
        case Operator::starts_with:
            return p.text.empty() ? existence(p) : textual(Family::starts_with, p);
        case Operator::ends_with:
            return p.text.empty() ? existence(p) : textual(Family::ends_with, p);
        case Operator::number_equal:
            return numeric(Family::number_equal, p, c, c);
        case Operator::number_not_equal:
            return numeric(Family::number_not_equal, p, c, c);
        case Operator::less:
        case Operator::less_equal:
        case Operator::greater:
        case Operator::greater_equal:
            return range(p);
        case Operator::scanned:
            return scanned(p);
    }
    return std::nullopt;
}

// Adds a literal to the conjunction; false if the conjunction can't hold any more.
bool add_literal(const Literal& literal, Terms& terms) {
    std::optional<Term> term = to_term(literal.predicate);
    if (!term) return literal.negated;
    term->negated = literal.negated;
    if (term->family == Family::range && !term->negated) {
        const auto same = std::find_if(terms.begin(), terms.end(), [&](const Term& t) {
            return t.family == Family::range && !t.negated && t.name == term->name;
        });
        if (same != terms.end()) {
            same->lo = std::max(same->lo, term->lo);
            same->hi = std::min(same->hi, term->hi);
            return true;
        }
    }
    terms.push_back(*term);
    return true;
}

}  // namespace

std::optional<operators::Bounds> bounds_of(Operator op, double c) {
    if (op == Operator::number_not_equal) return operators::Bounds{c, c, true};
    if (std::isnan(c)) return std::nullopt;
    switch (op) {
        case Operator::less:
            if (c == -infinity) return std::nullopt;
            return operators::Bounds{-infinity, std::nextafter(c, -infinity)};
        case Operator::less_equal:
            return operators::Bounds{-infinity, c};
        case Operator::greater:
            if (c == infinity) return std::nullopt;
            return operators::Bounds{std::nextafter(c, infinity), infinity};
        case Operator::greater_equal:
            return operators::Bounds{c, infinity};
        default:
            return operators::Bounds{c, c};
    }
}

std::vector<Terms> normalise(const Disjunction& filter) {
    std::vector<Terms> conjunctions;
    for (const Conjunction& conjunction : filter) {
        Terms terms;
        const bool possible = std::all_of(conjunction.begin(), conjunction.end(),
                                          [&](const Literal& literal) { return add_literal(literal, terms); });
        if (possible) conjunctions.push_back(std::move(terms));
    }
    return conjunctions;
}

}  // namespace sluice::engine
