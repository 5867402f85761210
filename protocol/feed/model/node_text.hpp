// The text of nodes as XPath 1.0 defines it. Pure functions; any thread.
#pragma once

#include <string_view>

#include "protocol/feed/model/text_arena.hpp"
#include "protocol/feed/model/tree.hpp"
#include "protocol/filter/evaluator/meter.hpp"

namespace sluice::feed {

// The string-value of an element or of the document node: the text below it, without comments. A view of the tree if
// the text is in one piece there, else of the arena. If there is a meter, each node and each byte copied takes a step.
std::string_view string_value(TreeNode node, TextArena& arena, xpath::Meter* meter = nullptr);

// The text node that begins with `first`, joining adjacent text and CDATA sections. `behind` becomes the node after it.
std::string_view joined_text(TreeNode first, TreeNode& behind, TextArena& arena, xpath::Meter* meter = nullptr);

// normalize-space(text). Returns the text itself if nothing changes.
std::string_view normalize_space(std::string_view text, TextArena& arena);

// XPath does not count namespace declarations as attributes.
inline bool is_xpath_attribute(std::string_view name) {
    return !name.starts_with("xmlns") || (name.size() > 5 && name[5] != ':');
}

}  // namespace sluice::feed
