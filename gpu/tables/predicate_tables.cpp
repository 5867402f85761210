#include "gpu/tables/predicate_tables.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "gpu/api/matcher.hpp"

namespace sluice::engine {

namespace {

void insert_sorted(std::vector<std::uint32_t>& sizes, std::size_t size) {
    const auto value = static_cast<std::uint32_t>(size);
    const auto at = std::lower_bound(sizes.begin(), sizes.end(), value);
    if (at == sizes.end() || *at != value) sizes.insert(at, value);
}

}  // namespace

TextTable& PredicateTables::texts(Family family) {
    switch (family) {
        case Family::contains:
            return contains_;
        case Family::starts_with:
            return starts_with_;
        case Family::ends_with:
            return ends_with_;
        case Family::not_equal:
            return not_equal_;
        default:
            return equal_;
    }
}

std::uint32_t PredicateTables::local(std::uint32_t name) {
    if (name >= locals_.size()) locals_.resize(name + 1, none);
    if (locals_[name] == none) {
        names_.push_back(name);
        locals_[name] = attributes() - 1;
    }
    return locals_[name];
}

std::uint32_t PredicateTables::intern_scanned(std::uint32_t name) {
    const std::uint32_t known = scanned_index_.find(mix(name), [&](std::uint32_t i) { return scanned_[i] == name; });
    if (known != none) return known;
    scanned_index_.make_room([this](std::uint32_t i) { return mix(scanned_[i]); });
    const auto index = static_cast<std::uint32_t>(scanned_.size());
    scanned_.push_back(name);
    scanned_index_.insert(mix(name), index);
    return index;
}

LiteralCode PredicateTables::intern(const Term& term, std::uint32_t name) {
    const auto code = [&](std::uint32_t index) {
        if (index > LiteralCode::index_max)
            throw LimitError("a segment holds at most " + std::to_string(LiteralCode::index_max + 1) +
                             " predicates of a family");
        return LiteralCode(term.family, index);
    };
    switch (term.family) {
        case Family::exists:
            return code(local(name));
        case Family::number_equal:
        case Family::number_not_equal:
            return code(numbers(term.family).intern(local(name), term.lo));
        case Family::range:
            return code(ranges_.intern({local(name), term.lo, term.hi}));
        case Family::scanned:
            return code(intern_scanned(name));
        case Family::measured:
            return code(operators_.intern(local(name), *term.measure, {term.lo, term.hi, term.outside}));
        default:
            return code(texts(term.family).intern(local(name), term.text));
    }
}

Term PredicateTables::term(LiteralCode code) const {
    Term term{code.family(), {}, {}, 0, 0, false, nullptr};
    switch (term.family) {
        case Family::exists:
        case Family::scanned:
            break;
        case Family::range: {
            const Range range = ranges_.range(code.index());
            term.lo = range.lo;
            term.hi = range.hi;
            break;
        }
        case Family::measured: {
            const operators::Bounds& bounds = operators_.bounds(code.index());
            term.lo = bounds.lo;
            term.hi = bounds.hi;
            term.outside = bounds.outside;
            term.measure = &operators_.measure(code.index());
            break;
        }
        case Family::number_equal:
        case Family::number_not_equal:
            term.lo = numbers(term.family).number(code.index());
            break;
        default:
            term.text = texts(term.family).text(code.index());
    }
    return term;
}

std::uint32_t PredicateTables::name(LiteralCode code) const {
    return code.family() == Family::scanned ? scanned_[code.index()] : names_[attribute_of(code)];
}

std::uint32_t PredicateTables::attribute_of(LiteralCode code) const {
    switch (code.family()) {
        case Family::exists:
            return code.index();
        case Family::number_equal:
        case Family::number_not_equal:
            return numbers(code.family()).attribute(code.index());
        case Family::range:
            return ranges_.ranked(code.index()).attribute;
        case Family::scanned:
            return none;
        case Family::measured:
            return operators_.attribute(code.index());
        default:
            return texts(code.family()).attribute(code.index());
    }
}

std::uint32_t PredicateTables::size(Family family) const {
    switch (family) {
        case Family::exists:
            return attributes();
        case Family::number_equal:
        case Family::number_not_equal:
            return numbers(family).size();
        case Family::range:
            return ranges_.size();
        case Family::scanned:
            return static_cast<std::uint32_t>(scanned_.size());
        case Family::measured:
            return operators_.size();
        default:
            return texts(family).size();
    }
}

SegmentLoad PredicateTables::load() const {
    SegmentLoad load;
    for (std::size_t f = 0; f < families; ++f) load.predicates[f] = size(static_cast<Family>(f));
    load.operand_bytes = locals_.size() * sizeof(std::uint32_t);
    for (const TextTable* table : {&equal_, &contains_, &starts_with_, &ends_with_, &not_equal_})
        load.operand_bytes += table->bytes();
    return load;
}

void PredicateTables::freeze(const std::shared_ptr<operators::OperatorDevices>& devices) {
    static std::atomic<std::uint64_t> last_id = 0;
    id_ = last_id.fetch_add(1, std::memory_order_relaxed) + 1;
    for (std::size_t f = 0; f < bit_families; ++f) bases_[f + 1] = bases_[f] + size(static_cast<Family>(f));

    substrings_.clear();
    plans_.assign(attributes(), Plan{});
    for (std::uint32_t i = 0; i < equal_.size(); ++i) {
        Plan& plan = plans_[equal_.attribute(i)];
        plan.equal = true;
        plan.equal_bytes_max = std::max(plan.equal_bytes_max, equal_.text(i).size());
    }
    for (std::uint32_t i = 0; i < not_equal_.size(); ++i) plans_[not_equal_.attribute(i)].not_equal = true;
    for (std::uint32_t i = 0; i < number_equal_.size(); ++i) plans_[number_equal_.attribute(i)].number_equal = true;
    for (std::uint32_t i = 0; i < number_not_equal_.size(); ++i)
        plans_[number_not_equal_.attribute(i)].number_not_equal = true;
    for (std::uint32_t i = 0; i < starts_with_.size(); ++i)
        insert_sorted(plans_[starts_with_.attribute(i)].prefix_sizes, starts_with_.text(i).size());
    for (std::uint32_t i = 0; i < ends_with_.size(); ++i)
        insert_sorted(plans_[ends_with_.attribute(i)].suffix_sizes, ends_with_.text(i).size());

    std::vector<std::vector<std::uint32_t>> patterns(attributes());
    for (std::uint32_t i = 0; i < contains_.size(); ++i) patterns[contains_.attribute(i)].push_back(i);
    for (TextTable* t : {&equal_, &contains_, &starts_with_, &ends_with_, &not_equal_}) t->shrink();
    for (std::uint32_t a = 0; a < attributes(); ++a) {
        if (patterns[a].empty()) continue;
        plans_[a].substrings = static_cast<std::uint32_t>(substrings_.size());
        substrings_.emplace_back(contains_.texts(), patterns[a]);
    }
    ranges_.freeze();
    operators_.freeze(devices);
    for (NumberTable* t : {&number_equal_, &number_not_equal_}) t->shrink();
}

void PredicateTables::set(Family family, std::uint32_t index, EventState& state) const {
    if (index == none) return;
    const LiteralCode code(family, index);
    const std::uint32_t at = bit(code);
    if (test(at, state)) return;
    state.bits[at / 64] |= std::uint64_t{1} << at % 64;
    state.true_codes.push_back(code.bits());
}

void PredicateTables::make_room(EventState& state) const {
    if (state.bits.size() * 64 < bits()) state.bits.resize((bits() + 63) / 64);
    if (state.positions.size() < attributes()) state.positions.resize(attributes());
}

void PredicateTables::evaluate(std::span<const Value> values, EventState& state) const {
    make_room(state);
    for (std::size_t i = 0, end = 0; i < values.size(); i = end) {
        const std::uint32_t name = values[i].attribute;
        while (end < values.size() && values[end].attribute == name) ++end;
        if (name >= locals_.size() || locals_[name] == none) continue;
        const std::uint32_t attribute = locals_[name];
        set(Family::exists, attribute, state);
        evaluate_texts(attribute, values.subspan(i, end - i), state);
        evaluate_numbers(attribute, values.subspan(i, end - i), state);
    }
}

Evaluated PredicateTables::evaluate_apart(std::span<const Value> values, EventState& state) const {
    const std::size_t codes = state.true_codes.size(), numbers = state.with_numbers.size();
    evaluate(values, state);
    Evaluated evaluated;
    evaluated.true_codes.assign(state.true_codes.begin() + static_cast<std::ptrdiff_t>(codes), state.true_codes.end());
    for (const std::uint32_t bits : evaluated.true_codes) clear(bit(LiteralCode(bits)), state);
    for (std::size_t i = numbers; i < state.with_numbers.size(); ++i) {
        NumberPosition& position = state.positions[state.with_numbers[i]];
        evaluated.positions.emplace_back(state.with_numbers[i], std::exchange(position, {}));
    }
    state.true_codes.resize(codes);
    state.with_numbers.resize(numbers);
    return evaluated;
}

void PredicateTables::add(const Evaluated& evaluated, EventState& state) const {
    make_room(state);
    for (const std::uint32_t bits : evaluated.true_codes) {
        const LiteralCode code(bits);
        set(code.family(), code.index(), state);
    }
    for (const auto& [attribute, position] : evaluated.positions) {
        state.positions[attribute] = position;
        state.with_numbers.push_back(attribute);
    }
}

std::span<const Value> PredicateTables::values_of(std::uint32_t attribute, std::span<const Value> event) const {
    const auto [first, last] =
        std::equal_range(event.begin(), event.end(), Value{names_[attribute], {}, 0},
                         [](const Value& a, const Value& b) { return a.attribute < b.attribute; });
    return {first, last};
}

struct PredicateTables::SubstringSink {
    const PredicateTables& tables;
    EventState& state;
    substrings::Counters counters;

    bool found(std::uint32_t index, std::size_t) const { return test(tables.bit({Family::contains, index}), state); }
    bool add(std::uint32_t index, std::size_t) {
        tables.set(Family::contains, index, state);
        ++counters.hits;
        return true;
    }
};

void PredicateTables::evaluate_texts(std::uint32_t attribute, std::span<const Value> values, EventState& state) const {
    const Plan& plan = plans_[attribute];
    for (const Value& value : values) {
        const std::string_view text = value.text;
        if (plan.equal && text.size() <= plan.equal_bytes_max) set(Family::equal, equal_.find(attribute, text), state);
        for (const std::uint32_t size : plan.prefix_sizes) {
            if (size > text.size()) break;
            set(Family::starts_with, starts_with_.find(attribute, text.substr(0, size)), state);
        }
        for (const std::uint32_t size : plan.suffix_sizes) {
            if (size > text.size()) break;
            set(Family::ends_with, ends_with_.find(attribute, text.substr(text.size() - size)), state);
        }
        if (plan.substrings != none) {
            SubstringSink sink{*this, state, {.texts = 1, .bytes = text.size()}};
            substrings_[plan.substrings].search(contains_.texts(), text, sink);
            state.searches += sink.counters;
        }
    }
    if (plan.not_equal &&
        std::all_of(values.begin() + 1, values.end(), [&](const Value& v) { return v.text == values.front().text; })) {
        set(Family::not_equal, not_equal_.find(attribute, values.front().text), state);
    }
}

void PredicateTables::evaluate_numbers(std::uint32_t attribute, std::span<const Value> values,
                                       EventState& state) const {
    const Plan& plan = plans_[attribute];
    double least = std::numeric_limits<double>::infinity(), greatest = -least;
    bool any = false, any_nan = false;
    for (const Value& value : values) {
        if (std::isnan(value.number)) {
            any_nan = true;
            continue;
        }
        any = true;
        least = std::min(least, value.number);
        greatest = std::max(greatest, value.number);
        if (plan.number_equal) set(Family::number_equal, number_equal_.find(attribute, value.number), state);
    }
    if (!any) return;
    if (plan.number_not_equal && !any_nan && least == greatest)
        set(Family::number_not_equal, number_not_equal_.find(attribute, least), state);
    if (ranges_.bounds(attribute) > 0) {
        state.positions[attribute] = ranges_.locate(attribute, least, greatest);
        state.with_numbers.push_back(attribute);
    }
}

void PredicateTables::forget(EventState& state) const {
    for (const std::uint32_t bits : state.true_codes) clear(bit(LiteralCode(bits)), state);
    for (const std::uint32_t attribute : state.with_numbers) state.positions[attribute] = {};
    state.true_codes.clear();
    state.with_numbers.clear();
}

}  // namespace sluice::engine
