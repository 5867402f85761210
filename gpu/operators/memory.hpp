// The memory that a measured predicate may take in an engine once it has been evaluated on texts, so that the broker
// can charge subscribers for it. Never far below the real use; above it where texts or other predicates decide how much
// is used:
//  * expressions: the program, and the automata that RE2 may cache for it, alone and in a set, whether or not texts
//    make them grow that far;
//  * edit distances: the tables that the pattern may have (edits/table_size.hpp), and its pieces;
//  * alignments: copies of the sequence and data derived from it (profiles belong to threads);
//  * series: next to nothing, plus their answers.
// Measured through the broker: tests/bench/results/2026-11-22-operator-memory.md. Pure functions; any thread.
#pragma once

#include <cstddef>

#include "gpu/api/predicate.hpp"

namespace sluice::operators {

// Requires that invalid_reason(measure) is empty.
std::size_t operator_bytes(const engine::Measure& measure);

}  // namespace sluice::operators
