// Says in words what an event "reset" means: events that a subscriber asked for can't be replayed. Pure function; any
// thread.
#pragma once

#include <boost/json/value.hpp>
#include <string>

namespace sluice::cli {

// What is missing, why, and where the broker goes on, in one sentence. `place` says which events were asked for, such
// as "after k3v9x0a2-105" or "since 24h"; empty: all. `reset` is the event's JSON; members that are missing are left
// out.
std::string reset_text(const boost::json::value& reset, const std::string& place);

}  // namespace sluice::cli
