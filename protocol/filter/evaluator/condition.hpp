// A compiled scanned condition: the parts of its syntax tree that evaluation needs. The names that it tests are
// numbered, parts with the same value at every node are marked, and "//" is merged with the step after it. Made once,
// with the filter; immutable, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "protocol/filter/evaluator/label.hpp"
#include "protocol/filter/evaluator/translate_table.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::xpath {

enum class CoreFunction : std::uint8_t {
    last,
    position,
    count,
    id,
    local_name,
    namespace_uri,
    name,
    string,
    concat,
    starts_with,
    contains,
    substring_before,
    substring_after,
    substring,
    string_length,
    normalize_space,
    translate,
    boolean,
    negation,
    true_value,
    false_value,
    lang,
    number,
    sum,
    floor,
    ceiling,
    round,
};

struct CompiledStep;

struct CompiledExpression {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    filter::Expression::Kind kind = filter::Expression::Kind::number;
    filter::ValueType type = filter::ValueType::number;
    CoreFunction function = CoreFunction::last;  // of a call
    std::uint32_t id = none;    // of a variable, of a translate table, or of the name that lang() looks for
    std::uint32_t memo = none;  // where its value is kept, if it is the same for all nodes of the document
    bool reads_variables = false;
    bool absolute = false;
    bool positional = false;  // as a predicate: depends on the position of its node
    bool distinct = false;    // a path that can be walked without sets: it reaches each node once
    bool direct = false;      // the same, in document order
    bool boolean = false;
    double number = 0;
    std::string text;
    std::vector<CompiledExpression> operands, predicates;
    std::vector<CompiledStep> steps;

    bool is_last() const { return kind == filter::Expression::Kind::call && function == CoreFunction::last; }
};

struct CompiledStep {
    filter::Axis axis = filter::Axis::child;
    LabelTest test;                                 // of the kind; if is_name, the name's number is added per document
    bool is_name = false;                           // tests for a name, which is numbered per document
    bool is_prefix = false;                         // the name must begin with a prefix, as for `media:*`
    std::uint32_t name = CompiledExpression::none;  // index into Condition::names()
    std::size_t plain = 0;                          // number of leading predicates that do not depend on positions
    std::vector<CompiledExpression> predicates;

    bool positional() const { return plain < predicates.size(); }
    // The last predicate asks for one position (a constant or the last), and no other predicate depends on positions.
    bool chooses() const {
        if (plain + 1 != predicates.size()) return false;
        const CompiledExpression& last = predicates.back();
        return last.kind == filter::Expression::Kind::number || last.is_last();
    }
};

class Condition final : public engine::ScannedCondition {
public:
    // What the condition tests of an event: a boolean value, with the element or the node `parents` levels above it as
    // context node; or that the element is in the node-set of a path from the root.
    enum class Form : std::uint8_t { test, selection };

    // `expression` must be checked and simplified.
    Condition(const filter::Expression& expression, Form form, std::size_t parents = 0);

    Form form() const { return form_; }
    std::size_t parents() const { return parents_; }
    bool reads_variables() const { return root_.reads_variables; }
    // A test with the same answer for all context nodes of a document.
    bool shared() const { return root_.memo != CompiledExpression::none && !root_.reads_variables; }

    const CompiledExpression& root() const { return root_; }
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<TranslateTable>& translations() const { return translations_; }
    std::size_t memos() const { return memos_; }

private:
    friend class ConditionCompiler;

    Form form_;
    std::size_t parents_;
    CompiledExpression root_;
    std::vector<std::string> names_;
    std::vector<TranslateTable> translations_;
    std::size_t memos_ = 0;
};

}  // namespace sluice::xpath
