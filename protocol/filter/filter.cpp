#include "protocol/filter/filter.hpp"

#include <algorithm>
#include <utility>

#include "protocol/filter/compile/leaves.hpp"
#include "protocol/filter/compile/normal_form.hpp"
#include "protocol/filter/compile/scan.hpp"
#include "protocol/filter/compile/select_form.hpp"
#include "protocol/filter/compile/simplify.hpp"
#include "protocol/filter/compile/test_form.hpp"
#include "protocol/filter/hints/hints.hpp"
#include "protocol/filter/hints/path_hints.hpp"
#include "protocol/filter/syntax/checker.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/parser.hpp"
#include "protocol/filter/syntax/writer.hpp"

namespace sluice::filter {

namespace {

using namespace xpath;

// A hard limit, whatever the configuration says: at twice this depth a sanitized build overflows its stack.
constexpr std::size_t depth_ceiling = 200;

engine::Conjunction to_conjunction(const LiteralSet& literals, const Leaves& leaves) {
    engine::Conjunction conjunction;
    for (const std::uint32_t literal : literals)
        conjunction.push_back({leaves.predicate(literal / 2), literal % 2 == 1});
    return conjunction;
}

Expression read(std::string_view text, const std::string& what, const FilterLimits& limits) {
    if (text.size() > limits.text_bytes_max)
        throw Fault{limits.text_bytes_max, "the " + what + " has " + std::to_string(text.size()) +
                                               " bytes, more than " + std::to_string(limits.text_bytes_max) +
                                               " (limits.filter_bytes)"};
    Expression expression = parse(text, std::min(limits.depth_max, depth_ceiling), what);
    check(expression);
    return expression;
}

// A path of events selects elements: refuses one that can't.
void refuse_other_nodes(const Expression& e) {
    if (e.kind == Expression::Kind::set_union)
        for (const Expression& path : e.operands) refuse_other_nodes(path);
    if (e.kind != Expression::Kind::path) return;
    if (e.steps.empty() && !e.operands.empty()) return refuse_other_nodes(e.operands[0]);
    if (const char* others = selects_others(e))
        throw Fault{e.offset, std::string("expected a path of elements; this selects ") + others};
}

Filter compile(std::string_view text, const FilterLimits& limits) {
    Expression written = read(text, "filter", limits);
    std::vector<Hint> hints = find_hints(written, text);
    const bool asks_for_nothing = written.kind == Expression::Kind::call && written.text == "false";
    const Expression expression = simplify(std::move(written));
    const bool selecting = selects(expression);
    Leaves leaves(limits);
    const Formula formula = selecting ? compile_selection(expression, leaves) : compile_test(expression, 0, leaves);

    Filter filter;
    filter.selecting = selecting;
    filter.canonical = selecting ? write(expression) : formula.text;
    for (const LiteralSet& set : disjunctive_normal_form(formula, {limits.conjunctions_max, limits.literals_max}))
        filter.conjunctions.push_back(to_conjunction(set, leaves));
    filter.leaves = leaves.used_by(formula);
    filter.hints = std::move(hints);
    if (filter.hints.empty() && filter.conjunctions.empty() && !asks_for_nothing)
        filter.hints.push_back(locate({expression.offset, "no item can satisfy this filter"}, text));
    return filter;
}

}  // namespace

boost::system::result<std::shared_ptr<const xpath::Condition>, FilterError> compile_path(std::string_view text,
                                                                                         const FilterLimits& limits) {
    try {
        const Expression path = simplify(read(text, "path", limits));
        refuse_other_nodes(path);
        return scan_path(path, limits);
    } catch (const Fault& fault) {
        return locate(fault, text);
    }
}

boost::system::result<Filter, FilterError> compile_filter(std::string_view text, const FilterLimits& limits) {
    try {
        return compile(text, limits);
    } catch (const Fault& fault) {
        return locate(fault, text);
    }
}

}  // namespace sluice::filter
