// HTML's character references as browsers read them (HTML standard, 13.2.5.72 to 13.2.5.80), and its entities by name,
// which feeds use without declaring them. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::feed {

// The named text in UTF-8: "\u00A0" for "nbsp", two characters for a few names. "" if HTML has no such name, and for
// XML's own names (lt, gt, amp, quot, apos). The text is static.
std::string_view html_entity(std::string_view name);

struct HtmlReference {
    std::size_t bytes = 0;  // that it takes in the text; 0: the '&' is text
    std::string text;       // in UTF-8
};

// The reference at the beginning of `html`, which is a '&' in text. The names that HTML 2 to 4 had for Latin-1 need no
// ';', and the longest one counts: "&notit;" is "¬it;". Other than in browsers, such a name is text before '=', as it
// is in attribute values: "?a&copy=2" is part of an address. Numbers may have any number of digits and need no ';';
// those without a character are U+FFFD, and 128 to 159 are bytes of windows-1252. Looks no further than the reference.
HtmlReference read_html_reference(std::string_view html);

}  // namespace sluice::feed
