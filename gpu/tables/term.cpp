#include "gpu/tables/term.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "gpu/tables/hash.hpp"

namespace sluice::engine {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Term textual(Family family, const Predicate& p) { return {family, p.attribute, p.text, 0, 0}; }
Term scanned(const Predicate& p) {
    Term term = textual(Family::scanned, p);
    term.condition = &p.condition;
    return term;
}
Term numeric(Family family, const Predicate& p, double lo, double hi) { return {family, p.attribute, {}, lo, hi}; }
Term existence(const Predicate& p) { return {Family::exists, p.attribute, {}, 0, 0}; }

std::optional<Term> measured(const Predicate& p) {
    const std::optional<operators::Bounds> b = bounds_of(p.op, p.number);
    if (!b) return std::nullopt;
    return Term{Family::measured, p.attribute, {}, b->lo, b->hi, b->outside, &*p.measure};
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

// Whether an event's values lead to the rows that contain the literal, so that it costs the other events nothing.
bool leads(const Term& term, bool negated) {
    return !negated && term.family != Family::not_equal && term.family != Family::number_not_equal &&
           term.family != Family::scanned && term.family != Family::measured;
}

// Makes a term of each predicate once, and gives it a place in the normal form when a conjunction first needs it.
class Normaliser {
public:
    explicit Normaliser(const Disjunction& filter) {
        known_.reserve(filter.predicates.size());
        for (const Predicate& p : filter.predicates) known_.push_back({to_term(p)});
        group_ranges();
        form_.terms.reserve(filter.predicates.size());
        form_.conjunctions.reserve(filter.conjunctions.size());
        for (const Conjunction& conjunction : filter.conjunctions) add(conjunction);
    }

    NormalForm take() { return std::move(form_); }

private:
    struct Known {
        std::optional<Term> term;     // none: it never holds
        std::uint32_t group = none;   // the number of its attribute, if it is a range
        std::uint32_t place = none;   // of its term in the normal form, or none yet,
        std::uint32_t narrow = none;  // of its term as a conjunction last narrowed it,
        std::uint32_t exists = none;  // and of the existence of its attribute
    };
    // A literal of the conjunction that is being added.
    struct Kept {
        std::uint32_t predicate = 0;
        bool negated = false;
        bool is_narrowed = false;  // by other ranges of its attribute
        double lo = 0, hi = 0;
    };

    void group_ranges() {
        std::unordered_map<std::string_view, std::uint32_t> groups;
        for (Known& known : known_) {
            if (!known.term || known.term->family != Family::range) continue;
            known.group = groups.try_emplace(known.term->name, static_cast<std::uint32_t>(groups.size())).first->second;
        }
        range_of_.resize(groups.size(), none);
    }

    void add(const Conjunction& conjunction) {
        kept_.clear();
        const bool possible = std::all_of(conjunction.begin(), conjunction.end(),
                                          [this](const Literal& literal) { return keep(literal); });
        if (possible) {
            Conjunction& made = form_.conjunctions.emplace_back();
            made.reserve(kept_.size() + 1);
            for (const Kept& kept : kept_) made.push_back({place(kept), kept.negated});
            if (const std::optional<std::uint32_t> existence = find_existence()) made.push_back({*existence, false});
        }
        for (const Kept& kept : kept_)
            if (const std::uint32_t group = known_[kept.predicate].group; group != none) range_of_[group] = none;
    }

    // False if the conjunction can't hold any more.
    bool keep(const Literal& literal) {
        const Known& known = known_[literal.predicate];
        if (!known.term) return literal.negated;
        const double lo = known.term->lo, hi = known.term->hi;
        if (known.group != none && !literal.negated) {
            std::uint32_t& at = range_of_[known.group];
            if (at != none) {
                Kept& range = kept_[at];
                if (lo > range.lo || hi < range.hi) range.is_narrowed = true;
                range.lo = std::max(range.lo, lo);
                range.hi = std::min(range.hi, hi);
                return true;
            }
            at = static_cast<std::uint32_t>(kept_.size());
        }
        kept_.push_back({literal.predicate, literal.negated, false, lo, hi});
        return true;
    }

    std::uint32_t append(const Term& term) {
        form_.terms.push_back(term);
        return static_cast<std::uint32_t>(form_.terms.size() - 1);
    }

    std::uint32_t place(const Kept& kept) {
        Known& known = known_[kept.predicate];
        if (!kept.is_narrowed) {
            if (known.place == none) known.place = append(*known.term);
            return known.place;
        }
        const auto is_same = [&](const Term& term) { return term.lo == kept.lo && term.hi == kept.hi; };
        if (known.narrow == none || !is_same(form_.terms[known.narrow])) {
            Term narrowed = *known.term;
            narrowed.lo = kept.lo;
            narrowed.hi = kept.hi;
            known.narrow = append(narrowed);
        }
        return known.narrow;
    }

    // Positive literals hold only for events with a value. Where nothing else leads to the conjunction, that does;
    // unless it would contradict another literal, which would decide the conjunction for attributes that are not known.
    std::optional<std::uint32_t> find_existence() {
        const auto term_of = [this](const Kept& kept) -> const Term& { return *known_[kept.predicate].term; };
        if (std::any_of(kept_.begin(), kept_.end(), [&](const Kept& k) { return leads(term_of(k), k.negated); }))
            return std::nullopt;
        const auto with_value = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
            return !kept.negated && term_of(kept).family != Family::scanned;
        });
        if (with_value == kept_.end()) return std::nullopt;
        const std::string_view name = term_of(*with_value).name;
        const auto contradicts = [&](const Kept& kept) {
            return term_of(kept).family == Family::exists && term_of(kept).name == name;
        };
        if (std::any_of(kept_.begin(), kept_.end(), contradicts)) return std::nullopt;
        std::uint32_t& at = known_[with_value->predicate].exists;
        if (at == none) at = append({Family::exists, name, {}, 0, 0});
        return at;
    }

    std::vector<Known> known_;  // by predicate
    std::vector<Kept> kept_;
    std::vector<std::uint32_t> range_of_;  // by group: the index in kept_, or none
    NormalForm form_;
};

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

NormalForm normalise(const Disjunction& filter) { return Normaliser(filter).take(); }

}  // namespace sluice::engine
