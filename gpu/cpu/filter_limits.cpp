#include "gpu/cpu/filter_limits.hpp"

#include <set>
#include <string>
#include <string_view>

#include "gpu/cpu/segment/segment_builder.hpp"

namespace sluice::cpu {

namespace {

// `bound`: at least the number of the filter's names in this table; they are only counted if that is too many.
void check_names(const engine::NormalForm& filter, bool scanned, std::uint64_t bound, const engine::NameTable& names,
                 std::uint64_t names_max) {
    if (names.size() + bound <= names_max) return;
    std::set<std::string_view> added;
    for (const engine::Term& term : filter.terms)
        if ((term.family == engine::Family::scanned) == scanned && !names.contains(term.name)) added.insert(term.name);
    if (names.size() + added.size() <= names_max) return;
    throw engine::LimitError("a filter adds " + std::to_string(added.size()) + " names to " +
                             std::to_string(names.size()) + "; a set holds at most " + std::to_string(names_max));
}

}  // namespace

void check_limits(const engine::NormalForm& filter, const engine::SegmentLoad& bound, const engine::SetLimits& limits,
                  const Names& names) {
    check_names(filter, false, bound.of(engine::Family::exists), names.attributes, limits.names);
    check_names(filter, true, bound.of(engine::Family::scanned), names.scanned, limits.names);
    if (limits.segment.fit(bound)) return;
    SegmentBuilder alone;  // to count once what occurs twice
    engine::NameTable attributes, scanned;
    alone.add({}, filter, attributes, scanned);
    if (const std::string excess = limits.segment.excess(alone.load()); !excess.empty())
        throw engine::LimitError("a filter has " + excess);
}

}  // namespace sluice::cpu
