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

// Sets the filter's leaves, and its disjunction, which has the predicates of those leaves that a conjunction needs. The
// predicates are in the order of `leaves`, which is the same for all spellings of a filter. `used`: the leaves that
// were written, in order.
void set_conjunctions(Filter& filter, const std::vector<LiteralSet>& sets, const Leaves& leaves,
                      const std::vector<std::size_t>& used) {
    std::vector<bool> is_needed(leaves.size());
    for (const LiteralSet& set : sets)
        for (const std::uint32_t literal : set) is_needed[literal / 2] = true;
    std::vector<std::uint32_t> place(leaves.size()), predicate_of(leaves.size());
    for (const std::size_t leaf : used) {
        place[leaf] = static_cast<std::uint32_t>(filter.leaves.size());
        filter.leaves.push_back(leaves[leaf]);
    }
    engine::Disjunction& disjunction = filter.disjunction;
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        if (!is_needed[leaf]) continue;
        predicate_of[leaf] = static_cast<std::uint32_t>(disjunction.predicates.size());
        disjunction.predicates.push_back(leaves[leaf].predicate);
        filter.leaf_of.push_back(place[leaf]);
    }
    disjunction.conjunctions.reserve(sets.size());
    for (const LiteralSet& set : sets) {
        engine::Conjunction& conjunction = disjunction.conjunctions.emplace_back();
        conjunction.reserve(set.size());
        for (const std::uint32_t literal : set) conjunction.push_back({predicate_of[literal / 2], literal % 2 == 1});
    }
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
    const std::vector<LiteralSet> sets =
        disjunctive_normal_form(formula, {limits.conjunctions_max, limits.literals_max});
    set_conjunctions(filter, sets, leaves, leaves.used_by(formula));
    filter.hints = std::move(hints);
    if (filter.hints.empty() && sets.empty() && !asks_for_nothing)
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
