// The names of elements that feeds commonly have, for guesses about what a filter means. Pure functions of static data;
// any thread.
#pragma once

#include <string_view>

namespace sluice::filter {

bool is_item_name(std::string_view element);   // item, entry: what is published as an event
bool is_feed_name(std::string_view element);   // rss, channel, feed …: what contains them, never an event
bool is_field_name(std::string_view element);  // title, link, category, dc:creator …: what an item contains
bool is_date_name(std::string_view element);   // pubDate, updated …: a date, and neither a year nor Unix time

// The variable or function that somebody means who writes a name of another language or format ("description" for
// $summary, "length" for string-length()). "" for others.
std::string_view variable_meant(std::string_view name);
std::string_view function_meant(std::string_view name);

}  // namespace sluice::filter
