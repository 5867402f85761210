// The errors of documents that exceed a limit, which all parsers share. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/feed_error.hpp"

namespace sluice::feed {

FeedError too_many_bytes(const FeedLimits& limits);
FeedError too_many_items(const std::string& text, std::size_t offset, const FeedLimits& limits);
FeedError too_many_item_values(const std::string& text, std::size_t offset, const FeedLimits& limits);
FeedError too_many_values(const std::string& text, std::size_t offset, const FeedLimits& limits);

}  // namespace sluice::feed
