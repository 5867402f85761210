// What the log retains, as JSON of the streams' endpoints and of the status. Pure function; any thread.
#pragma once

#include <boost/json/object.hpp>

#include "broker/store/event_log.hpp"

namespace sluice::server {

// The ids are null without events, and so is `oldest`, the time of the first one.
boost::json::object retained_json(const store::StreamExtent& extent);

}  // namespace sluice::server
