// Relative references as RFC 3986 §5 resolves them. Works on the characters as they are: feeds have spaces and letters
// beyond ASCII in addresses, which a strict parser of URIs refuses. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::text {

// Whether it begins with a scheme: "http://a/", "mailto:x". Not: "//a/b", "/b", "b".
bool is_absolute_uri(std::string_view reference);

// The target of the reference, in time linear in both. The reference itself if it is absolute, or if the base is not,
// or has a scheme without hierarchy ("mailto:").
std::string resolve_reference(std::string_view base, std::string_view reference);

}  // namespace sluice::text
