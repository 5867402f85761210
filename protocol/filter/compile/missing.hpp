// Functions such as string() and count() have a value where a path leads to no node: '' or 0. Extraction gives such a
// path no value, so that it costs an event nothing; what holds without a node is known when a filter is compiled.
// Pure functions; any thread.
#pragma once

#include <optional>

#include "gpu/api/predicate.hpp"

namespace sluice::filter {

// Whether the predicate, which is not scanned, holds for an event in which the path or variable has no node, though the
// engine will find it false there. False for paths that always have a node.
bool holds_without_nodes(const engine::Predicate& predicate);

// The predicate that holds for exactly those values for which this one does not; none if there is no such predicate.
// `predicate` holds without nodes.
std::optional<engine::Predicate> opposite(const engine::Predicate& predicate);

// That the predicate's path or variable has a node.
engine::Predicate existence(const engine::Predicate& predicate);

}  // namespace sluice::filter
