// What an attribute's value says. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::feed {

// The value, written in a document without its quotes, as a reader of the document sees it: with references resolved,
// and spaces for other white space.
std::string attribute_text(std::string_view written);

}  // namespace sluice::feed
