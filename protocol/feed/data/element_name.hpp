// Turns the keys of JSON and the columns of CSV into element names. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::feed {

// The key, with '_' for each character that XML names can't have and before a first one that can't begin them, so that
// filters can name every key: "@id" -> "_id", "my key" -> "my_key", "2x" -> "_2x", "" -> "_". One colon may stand
// between two names: "dc:date". Names are those of XML 1.0's fourth edition, since many parsers refuse others:
// "Preis €" -> "Preis__". `key` is UTF-8.
std::string element_name(std::string_view key);

}  // namespace sluice::feed
