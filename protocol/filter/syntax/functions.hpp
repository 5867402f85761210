// The functions that a filter may call: XPath 1.0's core library (§4) and the added ones. Constants; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

struct Function {
    enum class Origin : std::uint8_t {
        xpath,   // evaluated if it has no index
        added,   // indexed or folded, otherwise rejected
        kernel,  // added; computed by an operator of the engine
    };

    std::string_view name;
    // One letter per argument: (n)ode-set, (s)tring, number (#), (b)oolean, (o)bject of any type.
    std::string_view arguments;
    std::size_t optional = 0;  // number of trailing arguments that may be left out
    bool repeats = false;      // the last argument may be repeated any number of times
    ValueType result = ValueType::string;
    Origin origin = Origin::xpath;
    bool reads_context = false;        // can't be folded, even with constant arguments
    bool defaults_to_context = false;  // a missing argument is "."

    std::size_t arguments_min() const { return arguments.size() - optional; }
};

const Function* find_function(std::string_view name);  // null: no such function

std::span<const std::string_view> variable_names();

// " (did you mean 'contains'?)", or "" if no name is similar, and none means the same in another language or format.
std::string suggest_function(std::string_view wrong);
std::string suggest_variable(std::string_view wrong);

}  // namespace sluice::filter
