// The core function library (4).
#include <cmath>

#include "protocol/filter/evaluator/evaluator_paths.hpp"
#include "protocol/text/ascii.hpp"

namespace sluice::xpath {

namespace {

// 4.4: the nearest integer, of two the greater. A result of zero keeps the argument's sign.
double xpath_round(double number) {
    if (number >= -0.5 && number < 0.5) return std::copysign(0.0, number);
    const double below = std::floor(number);  // number + 0.5 need not be a double
    return number - below < 0.5 ? below : below + 1;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// "en" matches the languages "en", "EN" and "en-GB".
bool is_language(std::string_view text, std::string_view wanted) {
    if (text.size() < wanted.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (lower(text[i]) != lower(wanted[i])) return false;
    return text.size() == wanted.size() || text[wanted.size()] == '-';
}

}  // namespace

bool Evaluator::boolean_call(const CompiledExpression& call, const Scope& scope) const {
    switch (call.function) {
        case CoreFunction::boolean:
            return boolean(call.operands[0], scope);
        case CoreFunction::negation:
            return !boolean(call.operands[0], scope);
        case CoreFunction::true_value:
            return true;
        case CoreFunction::lang:
            return has_language(call, scope);
        case CoreFunction::starts_with: {
            const Text text = string(call.operands[0], scope), start = string(call.operands[1], scope);
            meter_.read(start.view().size());
            return text.view().starts_with(start.view());
        }
        case CoreFunction::contains: {
            const Text text = string(call.operands[0], scope), wanted = string(call.operands[1], scope);
            return texts_.find(text.view(), wanted.view()) != std::string_view::npos;
        }
        default:
            return false;
    }
}

double Evaluator::number_call(const CompiledExpression& call, const Scope& scope) const {
    double result = 0;
    switch (call.function) {
        case CoreFunction::last:
            return static_cast<double>(scope.size);
        case CoreFunction::position:
            return static_cast<double>(scope.position);
        case CoreFunction::count:
            any(call.operands[0], scope, [&](Node) { return ++result, false; });
            return result;
        case CoreFunction::sum:
            each(call.operands[0], scope, [&](Node node) { return result += texts_.number(text_of(node)), false; });
            return result;
        case CoreFunction::string_length:
            return texts_.length(string(call.operands[0], scope).view());
        case CoreFunction::floor:
            return std::floor(number(call.operands[0], scope));
        case CoreFunction::ceiling:
            return std::ceil(number(call.operands[0], scope));
        case CoreFunction::round:
            return xpath_round(number(call.operands[0], scope));
        default:
            return number(call.operands[0], scope);
    }
}

Text Evaluator::string_call(const CompiledExpression& call, const Scope& scope) const {
    const auto& operands = call.operands;
    switch (call.function) {
        case CoreFunction::concat: {
            Text::Buffer all = texts_.buffer();
            for (const CompiledExpression& operand : operands) texts_.append(all, string(operand, scope).view());
            return Text(std::move(all));
        }
        case CoreFunction::substring_before: {
            Text text = string(operands[0], scope);
            const std::size_t found = texts_.find(text.view(), string(operands[1], scope).view());
            text.resize(found == std::string_view::npos ? 0 : found);
            return text;
        }
        case CoreFunction::substring_after: {
            Text text = string(operands[0], scope);
            const Text wanted = string(operands[1], scope);
            const std::size_t found = texts_.find(text.view(), wanted.view());
            text.remove_prefix(found == std::string_view::npos ? text.view().size() : found + wanted.view().size());
            return text;
        }
        case CoreFunction::substring: {
            const double begin = xpath_round(number(operands[1], scope));
            const double end = operands.size() > 2 ? begin + xpath_round(number(operands[2], scope)) : HUGE_VAL;
            return texts_.substring(string(operands[0], scope), begin, end);
        }
        case CoreFunction::normalize_space:
            return texts_.normalize_space(string(operands[0], scope));
        case CoreFunction::translate:
            return translate(call, scope);
        case CoreFunction::string:
            return string(operands[0], scope);
        default:
            return name_call(call, scope);
    }
}

Text Evaluator::translate(const CompiledExpression& call, const Scope& scope) const {
    const Text text = string(call.operands[0], scope);
    if (call.id != CompiledExpression::none) return texts_.translate(text.view(), condition_.translations()[call.id]);
    const Text from = string(call.operands[1], scope), to = string(call.operands[2], scope);
    return texts_.translate(text.view(), TranslateTable(from.view(), to.view(), meter_, memory_));
}

Text Evaluator::name_call(const CompiledExpression& call, const Scope& scope) const {
    const Node node = first(call.operands[0], scope);
    if (node == no_node || is_value(node) || index_.name(node) == no_name) return {};
    if (call.function == CoreFunction::namespace_uri) {
        meter_.spend(steps_per_hash);
        return index_.namespace_uri(node);
    }
    const std::string_view name = index_.name_text(index_.name(node));
    meter_.read(name.size());
    const bool local =
        call.function == CoreFunction::local_name && index_.kind(node) != NodeKind::processing_instruction;
    return local ? name.substr(name.find(':') + 1) : name;
}

bool Evaluator::has_language(const CompiledExpression& call, const Scope& scope) const {
    const Text wanted = string(call.operands[0], scope);
    if (is_value(scope.node)) return false;
    const std::uint32_t name = parts_.names_[call.id];
    for (Node at = scope.node; at != no_node; at = index_.parent(at)) {
        meter_.spend(1);
        if (index_.kind(at) != NodeKind::element) continue;
        for (Node attribute = at + 1; attribute < index_.body(at); ++attribute) {
            meter_.spend(1);
            if (index_.name(attribute) == name) return is_language(index_.string_value(attribute), wanted.view());
        }
    }
    return false;
}

}  // namespace sluice::xpath
