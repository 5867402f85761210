// The elements of HTML that matter to a reader of feeds: their end tags are often left out. Pure functions; any thread.
#pragma once

#include <string_view>

namespace sluice::feed {

// The element has no content and no end tag in HTML: <br>. Names are compared without regard to case. Without <link>
// and <source>, which are RSS's.
bool is_void_in_html(std::string_view name);
// As above, with these two and other names of HTML 5: an end tag of theirs would be an error.
bool has_no_end_tag_in_html(std::string_view name);
// The start tag of another such element ends it in HTML: <p>, <li>.
bool ends_at_its_like_in_html(std::string_view name);
// The element stands within a line: <b>. Others separate what they contain from what is around them.
bool is_inline_in_html(std::string_view name);
// A document with this root is a page or a piece of one.
bool is_root_of_html(std::string_view name);

}  // namespace sluice::feed
