// The options of a stream as JSON, in the form in which they are read (config::parse_stream_options). Those that are
// not set, and so have the defaults of all streams, are left out. Pure; any thread.
#pragma once

#include <boost/json/object.hpp>

#include "config/options.hpp"

namespace sluice::broker {

boost::json::object stream_options_json(const config::StreamOptions& options);

}  // namespace sluice::broker
