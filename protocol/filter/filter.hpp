// The filter language: XPath 1.0 with some additional functions and variables, compiled to the engine's predicates.
// Pure functions; any thread. protocol/filter/README.md describes the language.
#pragma once

#include <boost/system/result.hpp>
#include <memory>
#include <string_view>

#include "protocol/filter/compile/compiled_filter.hpp"
#include "protocol/filter/evaluator/condition.hpp"
#include "protocol/filter/syntax/filter_error.hpp"

namespace sluice::filter {

// Compiles a path on its own, which selects elements of a document independently of any event: XPath 1.0 without
// variables and without the added functions (evaluator/evaluator.hpp evaluates it). One that ends in node() may select
// other nodes, too.
boost::system::result<std::shared_ptr<const xpath::Condition>, FilterError> compile_path(
    std::string_view text, const FilterLimits& limits = {});

boost::system::result<Filter, FilterError> compile_filter(std::string_view text, const FilterLimits& limits = {});

}  // namespace sluice::filter
