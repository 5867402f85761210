// Addresses: relative references as RFC 3986 §5 resolves them, and the form in which addresses are compared. Works on
// the characters as they are: feeds have spaces and letters beyond ASCII in addresses, which a strict parser of URIs
// refuses. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::text {

// Whether it begins with a scheme: "http://a/", "mailto:x". Not: "//a/b", "/b", "b".
bool is_absolute_uri(std::string_view reference);

// The target of the reference, in time linear in both. The reference itself if it is absolute, or if the base is not,
// or has a scheme without hierarchy ("mailto:").
std::string resolve_reference(std::string_view base, std::string_view reference);

// The form of an absolute URI by which it is compared with others (RFC 3986 §6.2.2 and §6.2.3; RFC 8141 §3.1 for URNs,
// RFC 3987 §3.1 for characters beyond ASCII), in linear time: scheme and host in lower case, without the scheme's own
// port, with "/" for an empty path of http and https, without dot segments, with unreserved characters as they are, and
// with all others that a URI cannot have as percent-encodings in upper case. Not for display.
std::string comparable_uri(std::string_view uri);

// True only of addresses of http and https that are in that form, and of most of these: fast.
bool is_comparable_address(std::string_view uri);

}  // namespace sluice::text
