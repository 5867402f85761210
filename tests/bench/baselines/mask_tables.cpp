#include "tests/bench/baselines/mask_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "gpu/tables/hash.hpp"
#include "tests/bench/baselines/order_key.hpp"

namespace sluice::bench {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The least number above c, so that v > c is v >= above(c); NaN, which no number reaches, if there is none.
double above(double c) { return c == infinity ? std::nan("") : std::nextafter(c, infinity); }
double below(double c) { return -above(-c); }

MaskOperand range(double lo, double hi) {
    MaskOperand operand;
    operand.range.from = std::isnan(lo) ? MaskOperand::out_of_reach : order_key(lo);
    operand.range.behind = std::isnan(hi) ? 0 : order_key(hi) + 1;
    return operand;
}

MaskOperand number_operand(double number) {
    MaskOperand operand = range(0, 0);
    operand.number = number;
    return operand;
}

MaskOperand only_attribute(std::uint32_t attribute) {
    MaskOperand operand = range(0, 0);
    operand.attribute = attribute;
    return operand;
}

// An unused operand; for ranges it sorts behind all others of its group.
MaskOperand unused_operand(MaskKind kind) {
    MaskOperand operand = only_attribute(0);
    if (kind == MaskKind::range) operand.range = {MaskOperand::out_of_reach, MaskOperand::out_of_reach};
    return operand;
}

// Sorts both bounds of a group of ranges: the literals move with `from`; places[i] is the new place of the i-th one's
// `behind`.
void order_bounds(std::span<MaskOperand> operands, std::span<std::uint32_t> literals, std::span<std::uint8_t> places) {
    std::vector<std::uint8_t> by_from(operands.size()), by_behind(operands.size());
    std::iota(by_from.begin(), by_from.end(), std::uint8_t{0});
    std::sort(by_from.begin(), by_from.end(),
              [&](std::uint8_t a, std::uint8_t b) { return operands[a].range.from < operands[b].range.from; });
    const std::vector<MaskOperand> old_operands(operands.begin(), operands.end());
    const std::vector<std::uint32_t> old_literals(literals.begin(), literals.end());
    for (std::size_t i = 0; i < operands.size(); ++i) {
        operands[i] = old_operands[by_from[i]];
        literals[i] = old_literals[by_from[i]];
    }
    const std::vector<MaskOperand> moved(operands.begin(), operands.end());
    std::iota(by_behind.begin(), by_behind.end(), std::uint8_t{0});
    std::sort(by_behind.begin(), by_behind.end(),
              [&](std::uint8_t a, std::uint8_t b) { return moved[a].range.behind < moved[b].range.behind; });
    for (std::size_t i = 0; i < operands.size(); ++i) {
        operands[i].range.behind = moved[by_behind[i]].range.behind;
        places[by_behind[i]] = static_cast<std::uint8_t>(i);
    }
}

bool shares_group(MaskKind kind) { return kind == MaskKind::never || kind == MaskKind::exists; }

}  // namespace

MaskTableBuilder::MaskTableBuilder() {
    push(0, MaskKind::never, only_attribute(0), true);
    push(0, MaskKind::never, only_attribute(0), false);
}

std::uint32_t MaskTableBuilder::push(std::uint32_t attribute, MaskKind kind, MaskOperand operand, bool negated) {
    if (drafts_.size() >= MaskTablesView::negated_flag) throw std::length_error("more than 2^31 literals");
    drafts_.push_back({attribute, kind, negated, operand});
    return literals() - 1;
}

MaskOperand MaskTableBuilder::text_operand(MaskKind kind, std::string_view text) {
    if (bytes_.size() + text.size() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("the literals' operands have more than 4 GiB");
    MaskOperand operand = range(0, 0);
    std::uint64_t key = 0;
    const std::size_t n = std::min<std::size_t>(text.size(), 8);
    if (kind == MaskKind::equal || kind == MaskKind::not_equal) {
        key = engine::hash_bytes(text, 0);
    } else if (kind == MaskKind::ends_with) {  // the last byte is the highest, as in the kernel's load
        std::memcpy(reinterpret_cast<char*>(&key) + (8 - n), text.data() + (text.size() - n), n);
    } else if (n != 0) {
        std::memcpy(&key, text.data(), n);
    }
    operand.text = {key, static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())};
    bytes_ += text;
    return operand;
}

std::uint32_t MaskTableBuilder::add(std::uint32_t attribute, const engine::Predicate& predicate, bool negated) {
    const auto text = [&](MaskKind kind) { return push(attribute, kind, text_operand(kind, predicate.text), negated); };
    const double c = predicate.number;
    switch (predicate.op) {
        case engine::Operator::exists:
            return add_exists(attribute, negated);
        case engine::Operator::equal:
            return text(MaskKind::equal);
        case engine::Operator::not_equal:
            return text(MaskKind::not_equal);
        case engine::Operator::contains:
            return text(MaskKind::contains);
        case engine::Operator::starts_with:
            return text(MaskKind::starts_with);
        case engine::Operator::ends_with:
            return text(MaskKind::ends_with);
        case engine::Operator::number_equal:
            return push(attribute, MaskKind::number_equal, number_operand(c), negated);
        case engine::Operator::number_not_equal:
            return push(attribute, MaskKind::number_not_equal, number_operand(c), negated);
        case engine::Operator::less:
            return add_range(attribute, -infinity, below(c), negated);
        case engine::Operator::less_equal:
            return add_range(attribute, -infinity, c, negated);
        case engine::Operator::greater:
            return add_range(attribute, above(c), infinity, negated);
        case engine::Operator::greater_equal:
            return add_range(attribute, c, infinity, negated);
        case engine::Operator::scanned:
            break;
    }
    throw std::invalid_argument("a scanned predicate has no mask");
}

std::uint32_t MaskTableBuilder::add_range(std::uint32_t attribute, double lo, double hi, bool negated) {
    return push(attribute, MaskKind::range, range(lo, hi), negated);
}

std::uint32_t MaskTableBuilder::add_exists(std::uint32_t attribute, bool negated) {
    return push(attribute, MaskKind::exists, only_attribute(attribute), negated);
}

MaskTables::MaskTables(const MaskTableBuilder& builder) : literals_(builder.literals()) {
    const auto& drafts = builder.drafts_;
    const auto group_of = [&](std::uint32_t i) {
        return std::tuple(drafts[i].kind, shares_group(drafts[i].kind) ? 0 : drafts[i].attribute);
    };
    std::vector<std::uint32_t> order(drafts.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return group_of(a) < group_of(b); });

    std::vector<MaskGroup> groups;
    std::vector<MaskOperand> operands;
    std::vector<std::uint32_t> literals;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& draft = drafts[order[i]];
        if (i == 0 || groups.back().count == MaskGroup::literals_max || group_of(order[i]) != group_of(order[i - 1])) {
            groups.push_back({0, draft.attribute, draft.kind});
            operands.resize(groups.size() * MaskGroup::literals_max, unused_operand(draft.kind));
            literals.resize(groups.size() * MaskGroup::literals_max);
        }
        const std::size_t at = (groups.size() - 1) * MaskGroup::literals_max + groups.back().count++;
        operands[at] = draft.operand;
        literals[at] = order[i] | (draft.negated ? MaskTablesView::negated_flag : 0);
    }
    std::vector<std::uint8_t> places(operands.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (groups[g].kind != MaskKind::range) continue;
        const std::size_t first = g * MaskGroup::literals_max, count = groups[g].count;
        order_bounds(std::span(operands).subspan(first, count), std::span(literals).subspan(first, count),
                     std::span(places).subspan(first, count));
    }
    groups_ = cuda::to_device(std::span<const MaskGroup>(groups));
    operands_ = cuda::to_device(std::span<const MaskOperand>(operands));
    numbers_ = cuda::to_device(std::span<const std::uint32_t>(literals));
    places_ = cuda::to_device(std::span<const std::uint8_t>(places));
    text_ = cuda::to_device(std::span<const char>(builder.bytes_));
}

MaskTablesView MaskTables::view() const {
    return {groups_.data(),   static_cast<std::uint32_t>(groups_.size()),
            operands_.data(), numbers_.data(),
            places_.data(),   text_.data()};
}

}  // namespace sluice::bench
