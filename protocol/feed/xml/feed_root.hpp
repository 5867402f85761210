// What is a feed at all, by the names of its elements: in any case, with any prefix. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/feed/model/document.hpp"

namespace sluice::feed {

// The length of a name's prefix with its colon; 0 if it has none.
std::size_t prefix_size(std::string_view name);
inline std::string_view local_part(std::string_view name) { return name.substr(prefix_size(name)); }
// Without regard to the case of ASCII letters.
bool is_same_name(std::string_view a, std::string_view b);

// "rss", "rdf" or "feed": the roots of feeds, by the name without prefix; empty: none of them.
std::string_view feed_root_kind(std::string_view local_name);
// An item or entry with this parent is one of a feed's.
bool is_feed_item(std::string_view local_name, std::string_view parent_local_name);

// RSS's and Atom's elements other than those that items are in: no item is inside of one.
bool is_feed_detail(std::string_view local_name);
// Those of them that contain only text.
bool is_feed_text(std::string_view local_name);

// Why a document is refused although it is well-formed: it is a page, an error message or a list of feeds whose items
// no event path selects. "" if nothing speaks against it.
std::string why_no_feed(const Document& document, std::string_view event_path);

}  // namespace sluice::feed
