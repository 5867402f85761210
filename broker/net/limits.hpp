// The limits that the protocol folder asks for, from the options.
#pragma once

#include "config/options.hpp"
#include "protocol/feed/document.hpp"
#include "protocol/filter/filter.hpp"

namespace sluice {

FeedLimits feed_limits(const LimitOptions& options);
FilterLimits filter_limits(const LimitOptions& options);
// What the options say about a stream.
StreamOptions stream_options(const Options& options, const std::string& stream);

}  // namespace sluice
