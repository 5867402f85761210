#include "broker/core/matching/subscription.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "broker/match/scan_owners.hpp"
#include "config/options.hpp"
#include "gpu/operators/memory.hpp"
#include "gpu/tables/limits.hpp"
#include "gpu/tables/name_table.hpp"
#include "gpu/tables/term.hpp"
#include "protocol/filter/syntax/attribute.hpp"

namespace sluice::broker {

namespace {

// The engine can hold every filter that the configuration admits, with the literal of its stream in each conjunction.
using Most = config::LimitOptions;
constexpr std::uint64_t literals_most = Most::filter_literals_max + Most::filter_conjunctions_max;
static_assert(literals_most <= engine::SegmentLimits{}.predicates);
static_assert(literals_most + Most::filter_conjunctions_max <= engine::SegmentLimits{}.record_words);
static_assert(Most::filter_operators_max <= engine::SegmentLimits{}.measured);
static_assert(Most::subscriptions_max <= engine::SetLimits{}.slots);

engine::Family family_of(const engine::Predicate& p) {
    using engine::Family;
    using engine::Operator;
    if (p.measure) return Family::measured;
    switch (p.op) {
        case Operator::contains:
            return Family::contains;
        case Operator::scanned:
            return Family::scanned;
        case Operator::exists:
            return Family::exists;
        case Operator::starts_with:
        case Operator::ends_with:
            return Family::starts_with;
        case Operator::equal:
        case Operator::not_equal:
        case Operator::number_equal:
        case Operator::number_not_equal:
            return Family::equal;
        default:
            return Family::range;
    }
}

std::size_t engine_bytes(const engine::Predicate& p) {
    constexpr std::size_t scanned_bytes = 1'024, scanned_times = 8;  // of a condition, as compiled
    std::size_t bytes = engine::predicate_bytes(family_of(p)) + engine::predicate_bytes(engine::Family::exists) +
                        2 * p.text.size() + engine::NameTable::name_bytes(p.attribute);
    return bytes + (p.op == engine::Operator::scanned ? scanned_bytes + scanned_times * p.attribute.size()
                                                      : reader_bytes(p.attribute));
}

SubscriptionMemory memory_of(const Subscription& subscription) {
    constexpr std::size_t place_bytes = 512;  // in the registry and in the fan-out
    constexpr std::size_t owner_bytes = 192;  // for a scanned or computed condition and one owner
    // As compiled, in the engine's normal form, and as codes.
    constexpr std::size_t conjunction_bytes = 3 * sizeof(engine::Conjunction);
    constexpr std::size_t literal_bytes = 4 * sizeof(engine::Literal);
    constexpr std::size_t predicate_bytes = 2 * sizeof(engine::Predicate) + 4 * sizeof(engine::Term);
    SubscriptionMemory memory;
    memory.kept = place_bytes + subscription.key.size();
    for (const auto* conditions : {&subscription.scanned, &subscription.computed})
        for (const std::string& condition : *conditions) memory.kept += owner_bytes + 2 * condition.size();
    engine::SegmentLoad load;
    load.entries = 1;
    for (const engine::Conjunction& conjunction : subscription.disjunction.conjunctions) {
        load.record_words += conjunction.size() + 1;
        memory.while_added += conjunction_bytes + conjunction.size() * literal_bytes;
    }
    memory.engine = engine::segment_bytes(load);
    for (const engine::Predicate& p : subscription.disjunction.predicates) {
        memory.engine += engine_bytes(p);
        if (p.measure) memory.kept += operators::operator_bytes(*p.measure);
        const std::size_t text = p.attribute.size() + p.text.size() + (p.measure ? p.measure->operand.size() : 0);
        memory.while_added += predicate_bytes + 2 * text;
    }
    memory.while_added += memory.kept + memory.engine;
    return memory;
}

// The places of a disjunction's predicates, to which others are added. It outlives this, and nobody else changes them.
class Places {
public:
    explicit Places(std::vector<engine::Predicate>& predicates)
        : predicates_(predicates), places_(0, Hash{&predicates}, Equal{&predicates}) {
        for (std::uint32_t place = 0; place < predicates_.size(); ++place) places_.insert(place);
    }

    // The filter itself may have it.
    std::uint32_t of(engine::Predicate predicate) {
        predicates_.push_back(std::move(predicate));
        const auto [at, is_new] = places_.insert(static_cast<std::uint32_t>(predicates_.size() - 1));
        if (!is_new) predicates_.pop_back();
        return *at;
    }

private:
    struct Hash {
        const std::vector<engine::Predicate>* predicates;
        std::size_t operator()(std::uint32_t place) const { return engine::PredicateHash()((*predicates)[place]); }
    };
    struct Equal {
        const std::vector<engine::Predicate>* predicates;
        bool operator()(std::uint32_t a, std::uint32_t b) const { return (*predicates)[a] == (*predicates)[b]; }
    };

    std::vector<engine::Predicate>& predicates_;
    std::unordered_set<std::uint32_t, Hash, Equal> places_;
};

// One for each name and prefix; for all streams, one without a literal.
std::vector<engine::Conjunction> stream_conjunctions(Places& places, const text::StreamSelection& streams) {
    if (streams.is_all()) return {{}};
    filter::Attribute attribute;
    attribute.variable = "stream";
    const std::string name = filter::to_string(attribute);
    std::vector<engine::Conjunction> alternatives;
    for (const std::string& stream : streams.names())
        alternatives.push_back({{places.of({name, engine::Operator::equal, stream, 0}), false}});
    for (const std::string& prefix : streams.prefixes())
        alternatives.push_back({{places.of({name, engine::Operator::starts_with, prefix, 0}), false}});
    return alternatives;
}

// Those of `other`, with these places.
std::vector<engine::Conjunction> conjunctions_in(Places& places, const engine::Disjunction& other) {
    std::vector<std::uint32_t> place_of;
    for (const engine::Predicate& predicate : other.predicates) place_of.push_back(places.of(predicate));
    std::vector<engine::Conjunction> conjunctions = other.conjunctions;
    for (engine::Conjunction& conjunction : conjunctions)
        for (engine::Literal& literal : conjunction) literal.predicate = place_of[literal.predicate];
    return conjunctions;
}

// All pairs of one of `a` and one of `b`, each pair as one.
std::vector<engine::Conjunction> products(const std::vector<engine::Conjunction>& a,
                                          const std::vector<engine::Conjunction>& b) {
    std::vector<engine::Conjunction> all;
    all.reserve(a.size() * b.size());
    for (const engine::Conjunction& first : a) {
        for (const engine::Conjunction& second : b) {
            all.push_back(first);
            for (const engine::Literal& literal : second)
                if (std::find(first.begin(), first.end(), literal) == first.end()) all.back().push_back(literal);
        }
    }
    return all;
}

// Permits only what the scope does.
void require(const auth::Scope& scope, engine::Disjunction& disjunction) {
    if (disjunction.conjunctions.empty() || scope.is_everything()) return;
    Places places(disjunction.predicates);
    const std::vector<engine::Conjunction> conjunctions = std::exchange(disjunction.conjunctions, {});
    for (const auth::Scope::Part& part : scope.parts()) {
        std::vector<engine::Conjunction> permitted = conjunctions;
        if (part.filter) permitted = products(permitted, conjunctions_in(places, part.filter->disjunction));
        permitted = products(permitted, stream_conjunctions(places, part.streams));
        std::move(permitted.begin(), permitted.end(), std::back_inserter(disjunction.conjunctions));
    }
}

}  // namespace

std::size_t literals_of(const engine::Disjunction& disjunction) {
    std::size_t literals = 0;
    for (const engine::Conjunction& conjunction : disjunction.conjunctions) literals += conjunction.size();
    return literals;
}

SubscriptionSize size_of(const auth::Scope& scope, const engine::Disjunction& disjunction) {
    const std::size_t own = disjunction.conjunctions.size(), literals = literals_of(disjunction);
    SubscriptionSize size;
    for (const auth::Scope::Part& part : scope.parts()) {
        const std::size_t streams =
            std::max<std::size_t>(part.streams.names().size() + part.streams.prefixes().size(), 1);
        const std::size_t rows = part.filter ? part.filter->disjunction.conjunctions.size() : 1;
        const std::size_t row_literals = part.filter ? literals_of(part.filter->disjunction) : 0;
        size.conjunctions += streams * rows * own;
        size.literals += streams * (rows * literals + row_literals * own);
    }
    return size;
}

// Names contain neither a comma nor an asterisk nor a line feed. Where there are row filters, each part ends with its
// own, and with its length, since it may contain anything.
std::string subscription_key(const auth::Scope& scope, const std::string& canonical) {
    std::string key;
    const auto add = [&key](const std::string& stream, std::string_view end) {
        if (!key.empty()) key += ',';
        key.append(stream).append(end);
    };
    for (const auth::Scope::Part& part : scope.parts()) {
        for (const std::string& stream : part.streams.names()) add(stream, "");
        for (const std::string& prefix : part.streams.prefixes()) add(prefix, "*");
        if (!scope.is_filtered()) continue;
        const std::string filter = part.filter ? part.filter->canonical : "";
        key.append("\n").append(std::to_string(filter.size())) += ':' + filter;
    }
    return key + '\n' + canonical;
}

Subscription make_subscription(const auth::Scope& scope, const std::string& canonical,
                               engine::Disjunction disjunction) {
    require(scope, disjunction);
    Subscription made{subscription_key(scope, canonical), std::move(disjunction), 0, {}, {}};
    for (const engine::Predicate& p : made.disjunction.predicates) {
        if (p.op == engine::Operator::scanned) made.scanned.push_back(p.attribute);
        if (!p.measure) continue;
        ++made.operators;
        if (const auto bounds = engine::bounds_of(p.op, p.number))
            made.computed.push_back(computed_key(p.attribute, *p.measure, *bounds));
    }
    made.memory = memory_of(made);
    return made;
}

std::size_t reader_bytes(std::string_view attribute) {
    constexpr std::size_t path_bytes = 768, step_bytes = 128;
    const auto steps = static_cast<std::size_t>(std::count(attribute.begin(), attribute.end(), '/'));
    return path_bytes + steps * step_bytes + 2 * attribute.size();
}

}  // namespace sluice::broker
