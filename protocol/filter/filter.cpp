#include "protocol/filter/filter.hpp"

#include <algorithm>
#include <utility>

#include "protocol/filter/checker.hpp"
#include "protocol/filter/fault.hpp"
#include "protocol/filter/leaves.hpp"
#include "protocol/filter/normal_form.hpp"
#include "protocol/filter/parser.hpp"
#include "protocol/filter/select_form.hpp"
#include "protocol/filter/simplify.hpp"
#include "protocol/filter/test_form.hpp"
#include "protocol/filter/writer.hpp"

namespace sluice {

namespace {

using namespace xpath;

// Whatever the configuration says: the stack of a sanitized build is full at twice that.
constexpr std::size_t depth_ceiling = 200;

Conjunction to_conjunction(const LiteralSet& literals, const Leaves& leaves) {
    Conjunction conjunction;
    for (const std::uint32_t literal : literals)
        conjunction.push_back({leaves.predicate(literal / 2), literal % 2 == 1});
    return conjunction;
}

Filter compile(std::string_view text, const FilterLimits& limits) {
    if (text.size() > limits.text_bytes_max)
        throw Fault{limits.text_bytes_max, "the filter has " + std::to_string(text.size()) + " bytes, more than " +
                                               std::to_string(limits.text_bytes_max) + " (limits.filter_bytes)"};
    Expression expression = parse(text, std::min(limits.depth_max, depth_ceiling));
    check(expression);
    expression = simplify(std::move(expression));

    const bool selecting = selects(expression);
    Leaves leaves(limits);
    const Formula formula = selecting ? compile_selection(expression, leaves) : compile_test(expression, 0, leaves);

    Filter filter;
    filter.selecting = selecting;
    filter.canonical = selecting ? write(expression) : formula.text;
    for (const LiteralSet& set : disjunctive_normal_form(formula, {limits.conjunctions_max, limits.literals_max}))
        filter.conjunctions.push_back(to_conjunction(set, leaves));
    filter.leaves = leaves.used_by(formula);
    return filter;
}

}  // namespace

boost::system::result<Filter, FilterError> compile_filter(std::string_view text, const FilterLimits& limits) {
    try {
        return compile(text, limits);
    } catch (const xpath::Fault& fault) {
        return xpath::locate(fault, text);
    }
}

}  // namespace sluice
