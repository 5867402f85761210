// Evaluates a compiled condition on an indexed document, within its meter's budget. Section numbers in the sources
// refer to XPath 1.0. The work is proportional to the document for every axis, for `//`, and for comparisons of whole
// sets. Predicates that search the document from each of many nodes multiply it; the meter stops those. Throws
// OverBudget, and what the meter's hook throws; KnownParts stays usable then. Belongs to one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/filter/evaluator/axes.hpp"
#include "protocol/filter/evaluator/comparison.hpp"
#include "protocol/filter/evaluator/condition.hpp"
#include "protocol/filter/evaluator/document_index.hpp"
#include "protocol/filter/evaluator/meter.hpp"
#include "protocol/filter/evaluator/node_set.hpp"
#include "protocol/filter/evaluator/texts.hpp"

namespace sluice::xpath {

// The values of the variables for one event, in the order of variable_names(). As nodes they are texts without a
// parent, numbered after those of the document. A path from the root in their predicates starts at the document's root.
struct VariableValues {
    std::vector<std::string> texts;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;  // of texts, by variable: first, one past the last
    std::uint64_t version = 0;                                    // changes with the values
    std::size_t bytes = 0;                                        // of all texts
};

// Results about a condition on one document that are computed once: the numbers of its names, and the values of parts
// that are the same for all nodes.
class KnownParts {
public:
    KnownParts(const Condition& condition, const DocumentIndex& index, std::pmr::memory_resource* memory);

    void use_variables(std::uint64_t version);  // forgets parts that depend on other values of the variables
    void forget();

    // Of the object and what it owns, except for values, which are in the memory given.
    std::size_t bytes() const {
        return sizeof *this + names_.capacity() * sizeof names_[0] + parts_.capacity() * sizeof(Part);
    }

private:
    friend class Evaluator;

    struct Part {
        explicit Part(std::pmr::memory_resource* memory) : nodes(memory) {}

        bool known = false, of_event = false;
        bool boolean = false;
        double number = 0;
        Text text;
        NodeSet nodes;
        // Summaries of the nodes, once a comparison has needed them.
        std::optional<TextSet> texts;
        std::optional<NumberRange> range;
        std::optional<Variety> variety;
    };

    std::vector<std::uint32_t> names_;
    std::vector<Part> parts_;
    std::uint64_t version_ = 0;
    std::pmr::memory_resource* memory_;
};

class Evaluator {
public:
    // All arguments must outlive it. `variables` may be null if the condition reads none.
    Evaluator(const Condition& condition, const DocumentIndex& index, const VariableValues* variables,
              KnownParts& parts, Meter& meter, std::pmr::memory_resource* memory);

    // The value of the whole expression, with this node as context node.
    bool boolean(Node context) const;
    double number(Node context) const;
    Text string(Node context) const;
    NodeSet nodes(Node context) const;  // for a node-set

private:
    using Kind = filter::Expression::Kind;
    using Part = KnownParts::Part;

    struct Scope {
        Node node = document_node;
        std::size_t position = 1, size = 1;
    };

    // evaluator.cpp: for each type, returns a known value or computes it.
    bool boolean(const CompiledExpression& e, const Scope& scope) const;
    double number(const CompiledExpression& e, const Scope& scope) const;
    Text string(const CompiledExpression& e, const Scope& scope) const;
    bool compute_boolean(const CompiledExpression& e, const Scope& scope) const;
    double compute_number(const CompiledExpression& e, const Scope& scope) const;
    Text compute_string(const CompiledExpression& e, const Scope& scope) const;
    double arithmetic(const CompiledExpression& e, const Scope& scope) const;
    Part* known_part(const CompiledExpression& e, const Scope& scope) const;

    // evaluator_paths.cpp
    const NodeSet& nodes(const CompiledExpression& e, const Scope& scope, NodeSet& storage) const;
    void compute_nodes(const CompiledExpression& e, const Scope& scope, NodeSet& found) const;
    void add_to(NodeSet& set, Node node) const;
    void path_nodes(const CompiledExpression& path, const Scope& scope, NodeSet& found) const;
    void take_step(const CompiledStep& step, const NodeSet& from, NodeSet& found) const;
    void take_positions(const CompiledStep& step, Node from, NodeSet& found) const;
    Node choose(const CompiledStep& step, Node from) const;
    void filter(NodeSet& list, const CompiledExpression& predicate) const;
    LabelTest test_of(const CompiledStep& step) const;
    bool passes(const CompiledStep& step, Node node) const;
    bool exists(const CompiledExpression& e, const Scope& scope) const;
    Node first(const CompiledExpression& e, const Scope& scope) const;  // no_node: none
    std::string_view text_of(Node node) const;
    template <class Visit>
    bool each(const CompiledExpression& e, const Scope& scope, const Visit& visit) const;
    template <class Visit>
    bool any(const CompiledExpression& e, const Scope& scope, const Visit& visit) const;
    template <class Visit>
    bool walk_distinct(const CompiledExpression& path, std::size_t step, Node node, const Visit& visit) const;

    // evaluator_comparisons.cpp
    bool compare(const CompiledExpression& e, const Scope& scope) const;
    bool compare_values(Kind kind, const CompiledExpression& a, const CompiledExpression& b, const Scope& scope) const;
    bool compare_set(Kind kind, const CompiledExpression& set, const CompiledExpression& value,
                     const Scope& scope) const;
    bool compare_sets(Kind kind, const CompiledExpression& a, const CompiledExpression& b, const Scope& scope) const;
    bool have_equal(const CompiledExpression& a, const CompiledExpression& b, const Scope& scope) const;
    bool have_equal(const NodeSet& a, const NodeSet& b) const;
    const TextSet& texts_of(Part& part) const;
    TextSet texts_of(const NodeSet& nodes) const;
    NumberRange range_of(const CompiledExpression& e, const Scope& scope) const;
    Variety variety_of(const CompiledExpression& e, const Scope& scope) const;

    // evaluator_calls.cpp
    bool boolean_call(const CompiledExpression& call, const Scope& scope) const;
    double number_call(const CompiledExpression& call, const Scope& scope) const;
    Text string_call(const CompiledExpression& call, const Scope& scope) const;
    Text translate(const CompiledExpression& call, const Scope& scope) const;
    Text name_call(const CompiledExpression& call, const Scope& scope) const;
    bool has_language(const CompiledExpression& call, const Scope& scope) const;

    bool is_value(Node node) const { return node >= index_.size(); }  // whether it is a variable's value

    const Condition& condition_;
    const DocumentIndex& index_;
    const VariableValues* variables_;
    KnownParts& parts_;
    Meter& meter_;
    std::pmr::memory_resource* memory_;
    Axes axes_;
    TextFunctions texts_;
};

}  // namespace sluice::xpath
