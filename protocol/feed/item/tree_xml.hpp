// Writes an element of a tree as XML. For items of documents that are not XML, whose tree has only elements, attributes
// and text. Pure function; any thread.
#pragma once

#include <string>

#include "protocol/feed/model/tree.hpp"

namespace sluice::feed {

// The element's own tag declares the prefixes of all names in it (namespace_of_undeclared): keys may have colons.
std::string tree_xml(TreeNode element);

}  // namespace sluice::feed
