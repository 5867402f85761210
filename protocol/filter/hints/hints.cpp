#include "protocol/filter/hints/hints.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "protocol/filter/compile/simplify.hpp"
#include "protocol/filter/compile/times.hpp"
#include "protocol/filter/hints/comparison_hints.hpp"
#include "protocol/filter/hints/hint_list.hpp"
#include "protocol/filter/hints/path_hints.hpp"
#include "protocol/filter/hints/test_hints.hpp"
#include "protocol/filter/hints/time_hints.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/text/terminal.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

// What the context node of an expression is.
struct Context {
    bool is_item = false;
    bool is_time = false;  // a value of $published, $updated or date()
};

constexpr std::string_view searches[] = {"contains",        "starts-with",     "ends-with",    "matches",
                                         "approx-contains", "approx-distance", "edit-distance"};

class Finder {
public:
    explicit Finder(HintList& hints) : hints_(hints) {}

    void filter(const Expression& e) {
        if (selects(e)) return selection(e);
        hint_at_test(e, hints_);
        condition(e, {true, false}, nullptr);
    }

private:
    void selection(const Expression& e) {
        if (e.kind == Kind::set_union) {
            for (const Expression& arm : e.operands) selection(arm);
            return;
        }
        hint_at_selection(e, hints_);
        parts(e, {}, true);
    }

    // An expression that stands where true or false is wanted. `parent`: the "and" or "or" that it belongs to.
    void condition(const Expression& e, Context context, const Expression* parent) {
        if (hints_.full()) return;
        if (e.kind == Kind::string || e.kind == Kind::number) return hint_at_constant(e, parent);
        if (context.is_item) hint_at_document_path(e, hints_);
        visit(e, context);
    }

    void hint_at_constant(const Expression& e, const Expression* parent) {
        const bool holds = e.kind == Kind::string ? !e.text.empty() : e.number != 0;
        std::string message =
            shown(e) + " alone is a constant: as a condition it " + (holds ? "always" : "never") + " holds";
        const Expression* before = nullptr;
        if (parent)
            for (const Expression& operand : parent->operands)
                if (operand.offset < e.offset && is_comparison(operand.kind)) before = &operand;
        if (before && before->operands[1].kind == e.kind) {
            Expression meant = *before;
            meant.operands[1] = e;
            message +=
                "; write " + shown(*before) + (parent->kind == Kind::logical_or ? " or " : " and ") + shown(meant);
        } else if (e.kind == Kind::string && !parent) {
            message += "; to search for it write contains($title, " + shown(e) + ")";
        }
        hints_.add(e.offset, std::move(message));
    }

    void visit(const Expression& e, Context context) {
        if (hints_.full()) return;
        if (is_comparison(e.kind)) {
            hint_at_comparison(e, context.is_time, hints_);
            const auto constant = [](const Expression& side) { return is_constant(side); };
            const bool with_constant = constant(e.operands[0]) || constant(e.operands[1]);
            if (context.is_item && with_constant)
                for (const Expression& side : e.operands) hint_at_document_path(side, hints_);
        }
        if (e.kind == Kind::call) visit_call(e, context);
        parts(e, context, false);
    }

    void visit_call(const Expression& e, Context context) {
        std::string message = describe_date_call(e);
        if (!message.empty()) hints_.add(e.offset, std::move(message));
        if (std::find(std::begin(searches), std::end(searches), e.text) == std::end(searches)) return;
        hint_at_search(e, hints_);
        if (context.is_item) hint_at_document_path(e.operands[0], hints_);
    }

    // `selects_items`: the last step of this path leads to items.
    void parts(const Expression& e, Context context, bool selects_items) {
        const bool logic = e.kind == Kind::logical_and || e.kind == Kind::logical_or;
        for (const Expression& operand : e.operands) {
            if (logic || is_call(e, "not"))
                condition(operand, context, logic ? &e : nullptr);
            else
                visit(operand, context);
        }
        for (const Expression& p : e.predicates)
            predicate(p, {selects_items && e.steps.empty(), selects_times(e, context.is_time)});
        for (const Step& step : e.steps)
            for (const Expression& p : step.predicates)
                predicate(p, {selects_items && &step == &e.steps.back(), false});
    }

    // A number alone is a position.
    void predicate(const Expression& e, Context context) {
        if (e.kind == Kind::number) return;
        condition(e, context, nullptr);
    }

    HintList& hints_;
};

}  // namespace

std::vector<Hint> find_hints(const Expression& checked, std::string_view text) {
    using sluice::text::shortened_utf8, sluice::text::terminal_line;
    HintList list;
    Finder(list).filter(checked);
    std::vector<Hint> hints;
    for (const Fault& fault : list.found()) {
        const std::string message = shortened_utf8(terminal_line(fault.message), hint_bytes_max);
        hints.push_back(locate({fault.offset, message}, text));
    }
    std::stable_sort(hints.begin(), hints.end(), [](const Hint& a, const Hint& b) { return a.offset < b.offset; });
    return hints;
}

}  // namespace sluice::filter
