// The filter language: XPath 1.0 with a few functions and variables more, compiled to what the engine matches.
// Pure functions of their arguments; any thread. The language is described in protocol/filter/README.md.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/predicate.hpp"
#include "protocol/filter/filter_error.hpp"

namespace sluice {

struct FilterLimits {
    std::size_t text_bytes_max = 64u << 10;
    std::size_t depth_max = 100;           // nesting of the expression
    std::size_t conjunctions_max = 256;    // of the disjunctive normal form
    std::size_t literals_max = 16'384;     // of all conjunctions together
    std::size_t searches_max = 2;          // of the document, nested in each other, in a scanned leaf (searches.hpp)
    std::size_t operators_max = 16;        // computed leaves
    std::size_t pattern_bytes_max = 4096;  // of a regular expression, and of a pattern to be found approximately
    std::size_t edits_max = 255;           // of approx-contains()
    std::size_t sequence_letters_max = 50'000;  // to be aligned
};

// One distinct predicate of a filter, and how it is decided.
struct Leaf {
    std::string text;  // canonical, as a filter by itself
    Predicate predicate;
    bool indexed = false;  // else it is decided for each event that still needs it: by an operator, or by pugixml
    std::string reason;    // what the operator computes, or why it is scanned; empty when indexed

    bool computed() const { return predicate.measure.has_value(); }
    bool scanned() const { return predicate.op == Operator::scanned; }
};

struct Filter {
    bool selecting = false;  // a path that selects items, not a test of each item
    std::string canonical;   // two filters that differ only in white space, quotes or operand order have the same
    Disjunction conjunctions;
    std::vector<Leaf> leaves;  // in order of appearance
};

boost::system::result<Filter, FilterError> compile_filter(std::string_view text, const FilterLimits& limits = {});

}  // namespace sluice
