// An explanation (broker/match/explanation.hpp) as JSON. Pure functions; any thread.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>

#include "broker/match/explanation.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice::server {

// Adds `filter`, `hints`, `matched`, `reason`, `because`, `leaves` and `alternatives`.
void add_explanation(boost::json::object& reply, const filter::Filter& filter, const broker::Explanation& explanation);

// The memory for these members, as values and as text, without what reply_memory() counts.
std::size_t explanation_memory(const filter::Filter& filter, const broker::Explanation& explanation);

}  // namespace sluice::server
