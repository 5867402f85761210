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
bool add_literal(const Predicate& predicate, bool negated, Terms& terms) {
    std::optional<Term> term = to_term(predicate);
    if (!term) return negated;
    term->negated = negated;
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

// Whether an event's values lead to the rows that contain the literal, so that it costs the other events nothing.
bool leads(const Term& term) {
    return !term.negated && term.family != Family::not_equal && term.family != Family::number_not_equal &&
           term.family != Family::scanned && term.family != Family::measured;
}

// Positive literals hold only for events with a value. Where nothing else leads to the conjunction, that does; unless
// it would contradict another literal, which would decide the conjunction for attributes that are not known.
void add_existence(Terms& terms) {
    if (std::any_of(terms.begin(), terms.end(), leads)) return;
    const auto with_value = std::find_if(
        terms.begin(), terms.end(), [](const Term& term) { return !term.negated && term.family != Family::scanned; });
    if (with_value == terms.end()) return;
    const std::string_view name = with_value->name;
    const auto contradicts = [&](const Term& term) { return term.family == Family::exists && term.name == name; };
    if (std::none_of(terms.begin(), terms.end(), contradicts)) terms.push_back({Family::exists, false, name, {}, 0, 0});
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
    for (const Conjunction& conjunction : filter.conjunctions) {
        Terms terms;
        const bool possible = std::all_of(conjunction.begin(), conjunction.end(), [&](const Literal& literal) {
            return add_literal(filter.predicates[literal.predicate], literal.negated, terms);
        });
        if (!possible) continue;
        add_existence(terms);
        conjunctions.push_back(std::move(terms));
    }
    return conjunctions;
}

}  // namespace sluice::engine
