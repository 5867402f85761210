#include "gpu/tables/operator_table.hpp"

#include <bit>

#include "gpu/operators/make_family.hpp"

namespace sluice::engine {

namespace {

// NaN operands are one operand.
bool same(double a, double b) { return a == b || (a != a && b != b); }
bool same(const operators::Bounds& a, const operators::Bounds& b) {
    return same(a.lo, b.lo) && same(a.hi, b.hi) && a.outside == b.outside;
}
std::uint64_t bits(double x) { return x != x ? 1 : std::bit_cast<std::uint64_t>(x + 0.0); }

}  // namespace

std::uint64_t OperatorTable::hash(std::uint32_t attribute, const Measure& m, const operators::Bounds& bounds) {
    std::uint64_t h = mix(std::uint64_t{attribute} << 32 | static_cast<std::uint64_t>(m.kind) << 8 | bounds.outside);
    h = hash_bytes(m.scheme, hash_bytes(m.operand, h));
    for (const std::uint64_t word : {bits(m.epsilon), std::uint64_t{m.line_min}, bits(bounds.lo), bits(bounds.hi)})
        h = mix(h ^ word);
    return h;
}

std::uint32_t OperatorTable::intern(std::uint32_t attribute, const Measure& measure, const operators::Bounds& bounds) {
    const std::uint64_t h = hash(attribute, measure, bounds);
    const std::uint32_t known = index_.find(h, [&](std::uint32_t i) {
        const Entry& e = entries_[i];
        return e.attribute == attribute && same(e.bounds, bounds) && e.measure == measure;
    });
    if (known != none) return known;
    index_.make_room(
        [this](std::uint32_t i) { return hash(entries_[i].attribute, entries_[i].measure, entries_[i].bounds); });
    const std::uint32_t index = size();
    entries_.push_back({measure, bounds, attribute, none, index, {}});
    index_.insert(h, index);
    return index;
}

void OperatorTable::freeze(const std::shared_ptr<operators::OperatorDevices>& devices) {
    entries_.shrink_to_fit();
    std::array<std::vector<operators::MeasuredPredicate>, operators::operator_families> predicates;
    for (Entry& e : entries_) {
        auto& of_family = predicates[static_cast<std::size_t>(operators::family_of(e.measure.kind))];
        e.index_in_family = static_cast<std::uint32_t>(of_family.size());
        of_family.push_back({e.measure, e.bounds});
    }
    for (std::size_t f = 0; f < operators::operator_families; ++f) {
        if (predicates[f].empty()) continue;
        families_[f] = operators::make_family(static_cast<operators::OperatorFamilyKind>(f), predicates[f], devices);
    }
    for (Entry& e : entries_) e.cost = operators::cost_of(e.measure);
    find_computed_together();
}

// Recurrence predicates that differ only in their bounds share one computation.
void OperatorTable::find_computed_together() {
    HashIndex first;
    const auto hash_of = [this](std::uint32_t i) { return hash(attribute(i), measure(i), {}); };
    for (std::uint32_t i = 0; i < size(); ++i) {
        if (family(i) != operators::OperatorFamilyKind::recurrence) continue;
        const std::uint32_t known = first.find(hash_of(i), [&](std::uint32_t other) {
            return attribute(other) == attribute(i) && measure(other) == measure(i);
        });
        if (known != none) {
            entries_[i].computed_with = known;
            continue;
        }
        first.make_room(hash_of);
        first.insert(hash_of(i), i);
    }
}

}  // namespace sluice::engine
