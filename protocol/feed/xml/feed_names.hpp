// Gives the elements of a feed their customary names, where a publisher writes them with other letters or a prefix:
// <RSS>, <Item>, <r:title>. Any thread.
#pragma once

#include <string_view>

#include "protocol/feed/model/tree.hpp"

namespace sluice::feed {

// Whether this root, or an item or channel in it, is not written as customary, apart from its prefix.
bool has_other_letters(TreeNode root);

// Renames the element and those in it whose names, without this prefix ("r:", or empty), are RSS's or Atom's but for
// the case of their letters; likewise their attributes.
void give_customary_names(Tree& tree, TreeNode feed, std::string_view prefix);

}  // namespace sluice::feed
