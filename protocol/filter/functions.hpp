// The functions that a filter may call: XPath 1.0's core library (§4) and the added ones. Constants; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/filter/syntax_tree.hpp"

namespace sluice::xpath {

struct Function {
    enum class Origin : std::uint8_t {
        xpath,   // pugixml evaluates it
        added,   // indexed or folded, else refused
        kernel,  // added; an operator of the engine computes it
    };

    std::string_view name;
    // One letter an argument: (n)ode-set, (s)tring, number (#), (b)oolean, (o)bject of any type.
    std::string_view arguments;
    std::size_t optional = 0;  // how many of the last arguments may be left out
    bool repeats = false;      // the last argument may be given any number of times
    ValueType result = ValueType::string;
    Origin origin = Origin::xpath;
    bool reads_context = false;        // can't be folded, even with constant arguments
    bool defaults_to_context = false;  // a missing argument is "."

    std::size_t arguments_min() const { return arguments.size() - optional; }
};

const Function* find_function(std::string_view name);  // null: there is none

std::span<const std::string_view> variable_names();

// " (did you mean 'contains'?)", or "" if no candidate is near.
std::string suggest(std::string_view wrong, std::span<const std::string_view> candidates);
std::string suggest_function(std::string_view wrong);

}  // namespace sluice::xpath
