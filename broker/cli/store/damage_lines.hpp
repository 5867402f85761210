// How the commands name what is damaged in a store. Pure functions; any thread.
#pragma once

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "broker/store/event_log.hpp"

namespace sluice::cli {

std::string listed(const std::vector<std::string>& names);  // "a, b"

// "events from 5 to 9 of news: the fault"; without ids the streams and the fault alone. One line for a terminal.
std::string damage_line(const store::Damage& damage);
boost::json::array damage_json(const std::vector<store::Damage>& damage);

}  // namespace sluice::cli
