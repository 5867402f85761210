// Hints about paths that leave the item: paths to nodes inside items as a whole filter, and paths through the
// document where a path of the item is meant. Pure functions; any thread.
#pragma once

#include "protocol/filter/hints/hint_list.hpp"
#include "protocol/filter/syntax/syntax_tree.hpp"

namespace sluice::filter {

// "attributes", "texts", "the document" …: what the path selects, if that can't be elements; else null.
const char* selects_others(const Expression& path);

// The path leads to a node inside items, or to a field (//title): such a path has a hint where it has no conditions.
bool leads_past_items(const Expression& path);

// Of a filter that selects items.
void hint_at_selection(const Expression& path, HintList& hints);

// Of a path that is tested, searched or compared with a constant for each item, with the item as context node.
void hint_at_document_path(const Expression& path, HintList& hints);

}  // namespace sluice::filter
