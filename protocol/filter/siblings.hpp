// Decides whether a filter can be answered from an item with its ancestors and their attributes alone. Where events are
// stored or sent one by one, the rest of the document is missing. Pure function; any thread.
#pragma once

#include <optional>
#include <string>

#include "protocol/filter/compile/compiled_filter.hpp"

namespace sluice::filter {

// A part of the filter that may see more than the item with its content, its ancestors' names and attributes, and the
// feed's title, link and author ($feed_title …). It is written as a filter on its own, for the error message. Nothing:
// the filter has the same answer for the item with nothing beside it.
//   ../title   preceding-sibling::item   //item[1]   string(..)   count(//item)   position()
// Decided from the form alone, so a few parts are reported that see no sibling: boolean(/rss/@version), position() in a
// test. //item[price < 90] and /rss/channel/item[price < 90] are not reported: they read only the names of the item and
// its ancestors.
std::optional<std::string> needs_siblings(const Filter& filter);

}  // namespace sluice::filter
