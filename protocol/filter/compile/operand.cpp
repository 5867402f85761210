#include "protocol/filter/compile/operand.hpp"

#include <string_view>
#include <utility>

namespace sluice::filter {

namespace {

using Kind = Expression::Kind;

struct Reader {
    std::string_view call;
    Attribute::Function function;
    ValueType type;
};

constexpr Reader readers[] = {
    {"string", Attribute::Function::string, ValueType::string},
    {"normalize-space", Attribute::Function::normalize_space, ValueType::string},
    {"string-length", Attribute::Function::string_length, ValueType::number},
    {"count", Attribute::Function::count, ValueType::number},
    {"sum", Attribute::Function::sum, ValueType::number},
    {"number", Attribute::Function::string, ValueType::number},  // compared as a number, string(x) is number(x)
    {"lower-case", Attribute::Function::lower_case, ValueType::strings},
    {"date", Attribute::Function::date, ValueType::numbers},
    {"name", Attribute::Function::name, ValueType::string},
};

// XPath does not count namespace declarations as attributes.
bool is_namespace_declaration(std::string_view name) { return name == "xmlns" || name.starts_with("xmlns:"); }

bool add_step(AttributePath& path, const Step& step) {
    if (!step.predicates.empty() || path.last != AttributePath::Last::element) return false;
    const bool named = step.test.kind == NodeTest::Kind::name || step.test.kind == NodeTest::Kind::any_name;
    const std::string name = step.test.kind == NodeTest::Kind::name ? step.test.name : "*";
    if (step.axis == Axis::parent && step.test.kind == NodeTest::Kind::node && path.children.empty()) {
        ++path.parents;
        return true;
    }
    if (step.axis == Axis::child && step.test.kind == NodeTest::Kind::text) {
        path.last = AttributePath::Last::text;
        return true;
    }
    if (step.axis == Axis::attribute && named && !is_namespace_declaration(name)) {
        path.last = AttributePath::Last::attribute;
        path.attribute = name;
        return true;
    }
    if (step.axis != Axis::child || !named) return false;
    path.children.push_back(name);
    return true;
}

std::optional<Operand> as_node_set(const Expression& e, std::size_t parents) {
    Operand operand;
    if (e.kind == Kind::variable) {
        operand.attribute.variable = e.text;
        return operand;
    }
    std::optional<AttributePath> path = as_attribute_path(e, parents);
    if (!path) return std::nullopt;
    operand.attribute.path = std::move(*path);
    return operand;
}

std::optional<Operand> as_call(const Expression& e, std::size_t parents) {
    // string(lower-case(x)) and lower-case(string(x)) are the same: the first node's text in lower case.
    const bool string_of_lower = is_call(e, "string") && is_call(e.operands[0], "lower-case");
    const bool lower_of_string = is_call(e, "lower-case") && is_call(e.operands[0], "string");
    if (string_of_lower || lower_of_string) {
        std::optional<Operand> operand = as_node_set(e.operands[0].operands[0], parents);
        if (operand) operand->attribute.function = Attribute::Function::string_of_lower_case;
        if (operand) operand->type = ValueType::string;
        return operand;
    }
    for (const Reader& reader : readers) {
        if (reader.call != e.text) continue;
        std::optional<Operand> operand = as_node_set(e.operands[0], parents);
        if (!operand) return std::nullopt;
        const AttributePath& path = operand->attribute.path;
        const bool element = path.children.empty() && path.last == AttributePath::Last::element;
        if (reader.function == Attribute::Function::name && !element) return std::nullopt;
        // These variables are already in seconds.
        const std::string& variable = operand->attribute.variable;
        const bool seconds =
            reader.function == Attribute::Function::date && (variable == "published" || variable == "updated");
        operand->attribute.function = seconds ? Attribute::Function::each : reader.function;
        operand->type = reader.type;
        return operand;
    }
    return std::nullopt;
}

}  // namespace

std::optional<AttributePath> as_attribute_path(const Expression& e, std::size_t parents) {
    if (e.kind != Kind::path || e.absolute || !e.operands.empty()) return std::nullopt;
    AttributePath path;
    path.parents = parents;
    const Step& first = e.steps.front();
    const bool self = e.steps.size() == 1 && first.axis == Axis::self && first.test.kind == NodeTest::Kind::node &&
                      first.predicates.empty();
    if (self) return path;
    for (const Step& step : e.steps)
        if (!add_step(path, step)) return std::nullopt;
    return path;
}

std::optional<Operand> as_operand(const Expression& e, std::size_t parents) {
    if (e.kind == Kind::variable && e.text == "path") {
        Operand operand;
        operand.attribute.function = Attribute::Function::path;
        operand.type = ValueType::string;
        return operand;
    }
    return e.kind == Kind::call ? as_call(e, parents) : as_node_set(e, parents);
}

}  // namespace sluice::filter
