#include "protocol/filter/hints/test_hints.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/filter/compile/simplify.hpp"
#include "protocol/filter/hints/path_hints.hpp"
#include "protocol/filter/syntax/feed_names.hpp"
#include "protocol/filter/syntax/quotes.hpp"
#include "protocol/text/utf8.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

constexpr std::string_view true_for_all = "true for all items of the document if it is for one";

bool ends_at_item(const Expression& path) {
    if (path.kind != Kind::path || !path.operands.empty() || path.steps.empty()) return false;
    const Step& last = path.steps.back();
    return last.axis == Axis::child && last.test.kind == NodeTest::Kind::name && is_item_name(last.test.name);
}

bool has_conditions_before_last(const Expression& path) {
    return std::any_of(path.steps.begin(), path.steps.end() - 1, [](const Step& s) { return !s.predicates.empty(); });
}

// item[price < 90]
bool is_item_in_item(const Expression& e) { return ends_at_item(e) && !e.absolute && e.steps.size() == 1; }

// politics. One or two letters are hardly a text that somebody looks for.
bool is_word(const Expression& e) {
    constexpr std::size_t characters_min = 3;
    const std::string_view name = bare_name(e);
    return text::count_characters(name) >= characters_min && !is_field_name(name) && !is_item_name(name) &&
           !is_feed_name(name);
}

// The path's last step as a test of the item: self::item[price < 90].
std::string as_self(const Expression& path) {
    Expression self;
    self.kind = Kind::path;
    self.type = ValueType::node_set;
    self.steps.push_back(path.steps.back());
    self.steps.back().axis = Axis::self;
    return shown(self);
}

template <typename Is>
bool are_all(const Expression& list, Is is) {
    return std::all_of(list.operands.begin(), list.operands.end(), is);
}

// //a[x] or //b[y] as //a[x] | //b[y].
std::string as_union(Expression paths) {
    paths.kind = Kind::set_union;
    paths.type = ValueType::node_set;
    return shown(paths);
}

// //item[x] and //item[y] as //item[x][y]; "" if the paths differ in more than their last conditions.
std::string as_one_path(const Expression& paths) {
    Expression all = paths.operands[0];
    const auto last_conditions = [](Expression& path) { return std::exchange(path.steps.back().predicates, {}); };
    std::vector<Expression> conditions = last_conditions(all);
    for (std::size_t i = 1; i < paths.operands.size(); ++i) {
        Expression other = paths.operands[i];
        std::vector<Expression> more = last_conditions(other);
        if (write(other) != write(all)) return {};
        conditions.insert(conditions.end(), more.begin(), more.end());
    }
    all.steps.back().predicates = std::move(conditions);
    return shown(all);
}

// Adds nothing where the path has a hint of its own, or where a part of the document may be meant.
bool may_select_items(const Expression& e) {
    if (e.kind != Kind::path || !selects(e) || !e.operands.empty() || selects_others(e)) return false;
    const Step& last = e.steps.back();
    const bool is_part = last.test.kind == NodeTest::Kind::name && is_feed_name(last.test.name);
    return !is_part && !leads_past_items(e);
}

void hint_at_word(const Expression& e, HintList& hints) {
    const std::string name(bare_name(e)), text = write_string(name);
    hints.add(e.offset, name + " alone asks whether the item has an element <" + name +
                            ">; for the text write category = " + text + " or contains(., " + text + ")");
}

void hint_at_item_in_item(const Expression& e, const std::string& meant, HintList& hints) {
    hints.add(e.offset, "this path starts at the item, and looks for an <" + e.steps[0].test.name +
                            "> inside it; write " + meant);
}

void hint_at_joined(const Expression& e, HintList& hints) {
    if (are_all(e, is_word)) return hint_at_word(e.operands[0], hints);
    if (are_all(e, may_select_items)) {
        const std::string meant = e.kind == Kind::logical_or ? as_union(e) : as_one_path(e);
        if (!meant.empty())
            return hints.add(e.operands[0].offset,
                             "each of these paths is " + std::string(true_for_all) + "; write " + meant);
    }
    for (const Expression& operand : e.operands) {
        if (is_item_in_item(operand))
            hint_at_item_in_item(operand, as_self(operand), hints);
        else if (ends_at_item(operand) && operand.absolute && !has_conditions_before_last(operand))
            hints.add(operand.offset,
                      "this path is " + std::string(true_for_all) + "; for the item itself write " + as_self(operand));
    }
}

}  // namespace

void hint_at_test(const Expression& e, HintList& hints) {
    if (is_word(e)) return hint_at_word(e, hints);
    if (e.kind == Kind::logical_or || e.kind == Kind::logical_and) return hint_at_joined(e, hints);
    if (e.kind == Kind::set_union && are_all(e, is_word)) return hint_at_word(e.operands[0], hints);
    const auto selection = [&](const Expression& path) {
        if (is_item_in_item(path)) hint_at_item_in_item(path, "//" + shown(path), hints);
    };
    if (e.kind == Kind::set_union)
        std::for_each(e.operands.begin(), e.operands.end(), selection);
    else
        selection(e);
}

}  // namespace sluice::filter
