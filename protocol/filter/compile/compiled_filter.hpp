// A compiled filter: a disjunction of conjunctions of the engine's predicates. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/api/predicate.hpp"
#include "protocol/filter/syntax/filter_error.hpp"

namespace sluice::filter {

struct FilterLimits {
    std::size_t text_bytes_max = 64u << 10;
    std::size_t depth_max = 100;                // nesting of the expression
    std::size_t conjunctions_max = 256;         // of the disjunctive normal form
    std::size_t literals_max = 16'384;          // of all conjunctions together
    std::size_t searches_max = 2;               // nested whole-document searches of a scanned leaf (searches.hpp)
    std::size_t operators_max = 16;             // computed leaves
    std::size_t pattern_bytes_max = 4096;       // of a regular expression, and of an approximate-matching pattern
    std::size_t edits_max = 255;                // of approx-contains()
    std::size_t sequence_letters_max = 50'000;  // of a sequence to align
};

// One distinct predicate of a filter, and how it is decided.
struct Leaf {
    std::string text;  // canonical, a valid filter on its own
    engine::Predicate predicate;
    bool indexed = false;  // else decided for each event that still needs it: by an operator, or by evaluation
    std::string reason;    // what the operator computes, or why it is scanned; empty when indexed
    std::string cost;      // of a scanned leaf, in words (searches.hpp)
    bool shared = false;   // a scanned leaf with one answer for all items of a document or below one element

    bool computed() const { return predicate.measure.has_value(); }
    bool scanned() const { return predicate.op == engine::Operator::scanned; }
};

struct Filter {
    bool selecting = false;  // a path that selects items, not a test of each item
    std::string canonical;   // equal for filters that differ only in white space, quotes or operand order
    engine::Disjunction disjunction;
    std::vector<Leaf> leaves;            // in order of appearance
    std::vector<std::uint32_t> leaf_of;  // by predicate of the disjunction: index of its leaf
    std::vector<Hint> hints;             // by position; see hints.hpp
};

}  // namespace sluice::filter
