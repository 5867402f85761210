// What XPath 1.0 makes of nodes as text, to the letter as pugixml does it. Pure functions; any thread.
#pragma once

#include <pugixml.hpp>
#include <string_view>

#include "protocol/feed/text_arena.hpp"

namespace sluice {

inline bool is_text(pugi::xml_node node) { return node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata; }

// The string-value of an element or of the document node: the text below it, comments left out. A view of the tree
// where it is one piece there, of the arena otherwise.
std::string_view string_value(pugi::xml_node node, TextArena& arena);

// normalize-space(text): the text itself where nothing changes.
std::string_view normalize_space(std::string_view text, TextArena& arena);

// XPath counts no namespace declaration among the attributes.
inline bool is_xpath_attribute(std::string_view name) {
    return !name.starts_with("xmlns") || (name.size() > 5 && name[5] != ':');
}

}  // namespace sluice
