// The engine's vocabulary: the predicates that a subscription tests on an event. Plain values; any thread may use them.
// A filter (protocol/filter) compiles to a Disjunction; an event (protocol/feed) becomes values of attributes
// (event_batch.hpp). To the engine, an attribute's text is only a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::engine {

// An operator holds if it holds for at least one value of its attribute (the existential rule of XPath 1.0 node-set
// comparisons); with no value it is false. Strings compare by bytes. Numbers are IEEE doubles: NaN is unequal to
// everything and neither less nor greater.
enum class Operator : std::uint8_t {
    exists,
    equal,
    not_equal,
    contains,
    starts_with,
    ends_with,
    number_equal,
    number_not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    scanned,  // decided outside the engine, by EventBatch::scan; the attribute is the leaf's opaque key
};

constexpr bool is_numeric(Operator op) { return op >= Operator::number_equal && op <= Operator::greater_equal; }

// A number that an operator (gpu/operators) computes from a value's text: a distance, a score, a share. Members that
// the kind does not read keep their defaults, and every other member has one canonical spelling, so that equal measures
// compare equal.
struct Measure {
    enum class Kind : std::uint8_t {
        matches,          // 1 if the regular expression `operand` (RE2's syntax) is found in the text, else 0
        approx_distance,  // least edit distance of any part of the text from `operand`; `scheme`: a cost table
        edit_distance,    // edit distance of the whole text from `operand`; `scheme`: a cost table
        align,            // best score of a local alignment with `operand`; `scheme`: scores and gaps
        align_global,     // score of the global alignment with `operand`; `scheme`: scores and gaps
        laminarity,       // of the series in the text: within `epsilon`, lines of `line_min` or more
        determinism,      // the same
        recurrence_rate,  // within `epsilon`
    };

    Kind kind = Kind::matches;
    std::string operand;
    // "unit", "typing", "vowels"; "dna:match,mismatch,first,extend", "blosum62:first,extend", "blosum50:first,extend"
    std::string scheme;
    double epsilon = 0;
    std::uint32_t line_min = 0;

    friend bool operator==(const Measure&, const Measure&) = default;
};

constexpr std::size_t measure_kinds = 8;

// Why this build can't compute the measure, as "expected …, not …" or "… is not available in this build"; empty if it
// can.
std::string invalid_reason(const Measure& measure);

// Describes in words how the measure is computed, for users who ask what a filter costs.
std::string how_decided(const Measure& measure);

// The condition of a scanned predicate, in a form that EventBatch::scan understands; the engine only stores it with the
// predicate's key. Immutable; any thread.
class ScannedCondition {
public:
    virtual ~ScannedCondition() = default;
};

// (attribute, operator, operand). Numeric operators read `number`, textual ones `text`, the others neither. An operand
// that is not read keeps its default, so that equal predicates compare equal.
struct Predicate {
    std::string attribute;
    Operator op = Operator::exists;
    std::string text;
    double number = 0;
    // With a numeric operator: compared instead of the value's own number. A value that has no such measure (text that
    // is not a series) counts as no value. Boolean measures are compared by `!= 0`.
    std::optional<Measure> measure = std::nullopt;
    std::shared_ptr<const ScannedCondition> condition = nullptr;  // with Operator::scanned

    // Numbers compare by bit pattern, except that -0 and +0 are equal. The condition is ignored, since the key
    // identifies it.
    friend bool operator==(const Predicate& a, const Predicate& b);
};

struct PredicateHash {
    std::size_t operator()(const Predicate& p) const;
};

// One of a list of predicates, or its negation.
struct Literal {
    std::uint32_t predicate = 0;  // its index
    bool negated = false;

    friend bool operator==(const Literal&, const Literal&) = default;
};

using Conjunction = std::vector<Literal>;  // empty: always true

// What a subscription tests. The filter compiler makes the predicates distinct, and uses each of them; the engine
// requires neither.
struct Disjunction {
    std::vector<Predicate> predicates;
    std::vector<Conjunction> conjunctions;  // of indexes of `predicates`; empty: always false

    friend bool operator==(const Disjunction&, const Disjunction&) = default;
};

// Why no set can hold the filter: "a literal has the predicate of index 7; there are 3". Empty if it is valid.
std::string invalid_reason(const Disjunction& filter);

}  // namespace sluice::engine
