#include "protocol/filter/hints/path_hints.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/filter/syntax/feed_names.hpp"

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

bool is_named(const Step& step) { return step.axis == Axis::child && step.test.kind == NodeTest::Kind::name; }

bool is_anywhere(const Step& step) {
    return step.axis == Axis::descendant_or_self && step.test.kind == NodeTest::Kind::node && step.predicates.empty();
}

bool goes_down(const Step& step) {
    return step.axis == Axis::child || step.axis == Axis::attribute || step.axis == Axis::descendant ||
           step.axis == Axis::descendant_or_self;
}

// The number of steps up to an item's element, if all further ones go down from there; else 0.
std::size_t steps_to_item(const Expression& path) {
    std::size_t n = path.steps.size();
    while (n > 0 && !(is_named(path.steps[n - 1]) && is_item_name(path.steps[n - 1].test.name))) {
        if (!goes_down(path.steps[n - 1])) return 0;
        --n;
    }
    return n;
}

// The steps from `first` on, as a path from the item.
Expression below_item(const Expression& path, std::size_t first) {
    Expression below;
    below.kind = Kind::path;
    below.type = ValueType::node_set;
    below.steps.assign(path.steps.begin() + static_cast<std::ptrdiff_t>(first), path.steps.end());
    return below;
}

std::string item_with(const Expression& path, std::size_t first) {
    Expression item = path;
    item.steps.erase(item.steps.begin() + static_cast<std::ptrdiff_t>(first), item.steps.end());
    item.steps.back().predicates.push_back(below_item(path, first));
    return shown(item);
}

std::string selected(const Expression& path) {
    if (const char* others = selects_others(path)) return others;
    const NodeTest& test = path.steps.back().test;
    return test.kind == NodeTest::Kind::name ? "<" + test.name + "> elements" : "elements";
}

// //title or /title, for a field of items.
bool is_field_at_root(const Expression& path) {
    const auto& steps = path.steps;
    const bool one = steps.size() == 1 || (steps.size() == 2 && is_anywhere(steps[0]));
    return one && is_named(steps.back()) && is_field_name(steps.back().test.name) &&
           steps.back().test.name.find(':') == std::string::npos;
}

// channel/item[price < 90], which starts inside an item.
void hint_at_relative_path(const Expression& path, HintList& hints) {
    const std::size_t to_item = steps_to_item(path);
    if (to_item < 2 || !is_named(path.steps[0]) || !is_feed_name(path.steps[0].test.name)) return;
    const bool below = to_item < path.steps.size();
    hints.add(path.offset, "this path starts at the item, which contains no <" + path.steps[0].test.name + ">; write " +
                               (below ? "" : "//") + shown(below_item(path, below ? to_item : to_item - 1)));
}

}  // namespace

const char* selects_others(const Expression& e) {
    if (e.steps.empty()) return "the document";
    const Step& last = e.steps.back();
    if (last.axis == Axis::attribute) return "attributes";
    if (last.axis == Axis::name_space) return "namespaces";
    switch (last.test.kind) {
        case NodeTest::Kind::text:
            return "texts";
        case NodeTest::Kind::comment:
            return "comments";
        case NodeTest::Kind::processing_instruction:
            return "processing instructions";
        default:
            return nullptr;
    }
}

bool leads_past_items(const Expression& path) {
    const std::size_t to_item = steps_to_item(path);
    return (to_item > 0 && to_item < path.steps.size()) || is_field_at_root(path);
}

void hint_at_selection(const Expression& path, HintList& hints) {
    if (path.kind != Kind::path || !path.operands.empty()) return;
    const std::string_view only = ", and only items match; write ";
    const std::size_t to_item = steps_to_item(path);
    if (to_item > 0 && to_item < path.steps.size())
        return hints.add(path.offset, "this selects " + selected(path) + " inside items" + std::string(only) +
                                          item_with(path, to_item));
    const bool any_attribute =
        path.steps.size() == 2 && is_anywhere(path.steps[0]) && path.steps[1].axis == Axis::attribute;
    if (any_attribute)
        return hints.add(path.offset,
                         "this selects attributes" + std::string(only) + "//*[" + shown(below_item(path, 1)) + "]");
    if (selects_others(path))
        return hints.add(path.offset, "this selects " + selected(path) + std::string(only) + "//item, //entry or //*");
    if (is_field_at_root(path))
        return hints.add(path.offset, "this selects " + selected(path) + std::string(only) +
                                          shown(below_item(path, path.steps.size() - 1)) + " for items that have one");
    if (is_named(path.steps.back()) && is_feed_name(path.steps.back().test.name))
        hints.add(path.offset, "this selects " + selected(path) + std::string(only) +
                                   "the path to them, such as /rss/channel/item or /feed/entry");
}

void hint_at_document_path(const Expression& path, HintList& hints) {
    if (path.kind != Kind::path || !path.operands.empty()) return;
    if (!path.absolute) return hint_at_relative_path(path, hints);
    const std::size_t to_item = steps_to_item(path);
    const bool below = to_item > 0 && to_item < path.steps.size();
    const bool all =
        std::all_of(path.steps.begin(), path.steps.end(), [](const Step& s) { return s.predicates.empty(); });
    if (!all || !(below || is_field_at_root(path))) return;
    const std::string own = shown(below_item(path, below ? to_item : path.steps.size() - 1));
    const bool anywhere = below || path.steps.size() == 2;
    hints.add(path.offset, anywhere ? "this path looks at all items of the document; for the item itself write " + own
                                    : "this path starts at the root of the document; for the item itself write " + own);
}

}  // namespace sluice::filter
