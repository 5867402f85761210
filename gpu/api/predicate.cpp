#include "gpu/api/predicate.hpp"

#include <bit>
#include <functional>

namespace sluice::engine {

namespace {

// Adding +0 turns -0 into +0; the two compare equal as numbers and so must be one operand.
std::uint64_t operand_bits(double number) { return std::bit_cast<std::uint64_t>(number + 0.0); }

}  // namespace

bool operator==(const Predicate& a, const Predicate& b) {
    return a.op == b.op && operand_bits(a.number) == operand_bits(b.number) && a.attribute == b.attribute &&
           a.text == b.text && a.measure == b.measure;
}

std::size_t PredicateHash::operator()(const Predicate& p) const {
    const auto combine = [](std::size_t seed, std::size_t h) {
        return (seed ^ h) * 0x9e3779b97f4a7c15u + (seed >> 31);
    };
    std::size_t h = std::hash<std::string>{}(p.attribute);
    if (p.measure) {
        h = combine(h, static_cast<std::size_t>(p.measure->kind) + 1);
        h = combine(h, std::hash<std::string>{}(p.measure->operand));
        h = combine(h, std::hash<std::string>{}(p.measure->scheme));
        h = combine(h, std::hash<double>{}(p.measure->epsilon) + p.measure->line_min);
    }
    h = combine(h, static_cast<std::size_t>(p.op));
    h = combine(h, std::hash<std::string>{}(p.text));
    return combine(h, operand_bits(p.number));
}

std::string invalid_reason(const Disjunction& filter) {
    const std::size_t predicates = filter.predicates.size();
    for (const Conjunction& conjunction : filter.conjunctions) {
        for (const Literal& literal : conjunction)
            if (literal.predicate >= predicates)
                return "a literal has the predicate of index " + std::to_string(literal.predicate) + "; there are " +
                       std::to_string(predicates);
    }
    return {};
}

}  // namespace sluice::engine
