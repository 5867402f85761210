#include "protocol/filter/compile/leaves.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/filter/compile/kernel_functions.hpp"
#include "protocol/filter/compile/missing.hpp"
#include "protocol/filter/syntax/attribute.hpp"
#include "protocol/filter/syntax/fault.hpp"
#include "protocol/filter/syntax/writer.hpp"

namespace sluice::filter {

namespace {

std::string_view operator_sign(engine::Operator op) {
    switch (op) {
        case engine::Operator::equal:
        case engine::Operator::number_equal:
            return " = ";
        case engine::Operator::not_equal:
        case engine::Operator::number_not_equal:
            return " != ";
        case engine::Operator::less:
            return " < ";
        case engine::Operator::less_equal:
            return " <= ";
        case engine::Operator::greater:
            return " > ";
        case engine::Operator::greater_equal:
            return " >= ";
        default:
            return {};
    }
}

// contains() and starts-with() take the first node's string, so string() is omitted there. A test of every node is a
// predicate of the path.
std::string search_text(const std::string& function, const engine::Predicate& p) {
    Attribute attribute = *parse_attribute(p.attribute);
    const std::string constant = write_string(p.text);
    if (attribute.function == Attribute::Function::each) return p.attribute + "[" + function + "(., " + constant + ")]";
    if (attribute.function == Attribute::Function::string) attribute.function = Attribute::Function::each;
    return function + "(" + to_string(attribute) + ", " + constant + ")";
}

std::string computed_text(const engine::Predicate& p) {
    const std::string call = measure_text(p.attribute, *p.measure);
    if (p.measure->kind == engine::Measure::Kind::matches) return call;
    return call + std::string(operator_sign(p.op)) + write_number(p.number);
}

void collect(const Formula& formula, std::vector<std::size_t>& leaves) {
    if (formula.kind == Formula::Kind::leaf) leaves.push_back(formula.leaf);
    for (const Formula& part : formula.parts) collect(part, leaves);
}

}  // namespace

std::string predicate_text(const engine::Predicate& p) {
    if (p.measure) return computed_text(p);
    switch (p.op) {
        case engine::Operator::exists:
        case engine::Operator::scanned:
            return p.attribute;
        case engine::Operator::contains:
            return search_text("contains", p);
        case engine::Operator::starts_with:
            return search_text("starts-with", p);
        case engine::Operator::ends_with:
            return "ends-with(" + p.attribute + ", " + write_string(p.text) + ")";
        default:
            break;
    }
    const std::string constant = engine::is_numeric(p.op) ? write_number(p.number) : write_string(p.text);
    return p.attribute + std::string(operator_sign(p.op)) + constant;
}

Formula Leaves::indexed(engine::Predicate predicate, std::size_t offset) {
    if (!holds_without_nodes(predicate)) return add_indexed(std::move(predicate), offset);
    if (std::optional<engine::Predicate> other = opposite(predicate))
        return negate(add_indexed(std::move(*other), offset));
    Formula missing = negate(add_indexed(existence(predicate), offset));
    return make_any({std::move(missing), add_indexed(std::move(predicate), offset)});
}

Formula Leaves::add_indexed(engine::Predicate predicate, std::size_t offset) {
    std::string text = predicate_text(predicate);
    return add({std::move(text), std::move(predicate), true, {}, {}, false}, offset);
}

Formula Leaves::computed(engine::Predicate predicate, std::size_t offset) {
    std::string text = predicate_text(predicate), way = engine::how_decided(*predicate.measure);
    std::optional<Formula> missing;
    if (holds_without_nodes(predicate)) missing = negate(add_indexed(existence(predicate), offset));
    const std::size_t known = leaves_.size();
    Formula formula = add({std::move(text), std::move(predicate), false, std::move(way), {}, false}, offset);
    computed_ += leaves_.size() - known;
    if (computed_ > limits_.operators_max)
        throw Fault{offset, "the filter has more than " + std::to_string(limits_.operators_max) +
                                " computed conditions (limits.filter_operators)"};
    return missing ? make_any({std::move(*missing), std::move(formula)}) : formula;
}

Formula Leaves::scanned(Scanned scanned, std::size_t offset) {
    Leaf leaf;
    leaf.text = std::move(scanned.text);
    leaf.predicate = {std::move(scanned.key), engine::Operator::scanned, {}, 0};
    leaf.predicate.condition = std::move(scanned.condition);
    leaf.reason = std::move(scanned.reason);
    leaf.cost = std::move(scanned.cost);
    leaf.shared = scanned.shared;
    return add(std::move(leaf), offset);
}

Formula Leaves::add(Leaf leaf, std::size_t offset) {
    const auto [entry, added] = ids_.try_emplace(leaf.predicate, leaves_.size());
    if (added) {
        leaves_.push_back(std::move(leaf));
        offsets_.push_back(offset);
    }
    const std::size_t id = entry->second;
    offsets_[id] = std::min(offsets_[id], offset);
    return make_leaf(id, leaves_[id].text);
}

bool Leaves::scans(const Formula& formula) const {
    std::vector<std::size_t> ids;
    collect(formula, ids);
    return std::any_of(ids.begin(), ids.end(), [&](std::size_t id) { return leaves_[id].scanned(); });
}

std::vector<std::size_t> Leaves::used_by(const Formula& formula) const {
    std::vector<std::size_t> ids;
    collect(formula, ids);
    std::sort(ids.begin(), ids.end(),
              [&](auto a, auto b) { return std::pair(offsets_[a], a) < std::pair(offsets_[b], b); });
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    return ids;
}

}  // namespace sluice::filter
