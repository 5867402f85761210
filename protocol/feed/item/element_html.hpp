// Writes the markup in an element of a document's tree as HTML, as it would be in a text of type html: XHTML in Atom,
// tags that RSS or other XML has without escaping them. Pure functions; any thread.
#pragma once

#include <string>

#include "protocol/feed/model/tree.hpp"

namespace sluice::feed {

// The element has another one as a child.
bool has_markup(TreeNode element);

// What the element contains, as HTML. XHTML's names have no prefix, and declarations of its namespace are left out, as
// are processing instructions. Void elements are <br/>, other empty ones <p></p>. An XHTML text construct's only child
// is the <div> that RFC 4287 (3.1.1.3) wants around it, whose content is meant.
std::string inner_html(TreeNode element);

}  // namespace sluice::feed
