// Compiles scanned conditions for tests from any XPath, even where a filter would use an index.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "protocol/filter/compile/simplify.hpp"
#include "protocol/filter/evaluator/condition.hpp"
#include "protocol/filter/syntax/checker.hpp"
#include "protocol/filter/syntax/parser.hpp"

namespace sluice {

// Throws a filter::Fault for text that is not XPath.
inline std::shared_ptr<const xpath::Condition> make_condition(
    std::string_view text, xpath::Condition::Form form = xpath::Condition::Form::test, std::size_t parents = 0) {
    filter::Expression expression = filter::parse(text, 200);
    filter::check(expression);
    return std::make_shared<const xpath::Condition>(filter::simplify(std::move(expression)), form, parents);
}

}  // namespace sluice
