// What an attribute's value says. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

#include "protocol/feed/model/xml_entities.hpp"

namespace sluice::feed {

// The value, written in a document without its quotes, as a reader of the document sees it: with references resolved,
// and spaces for other white space.
std::string attribute_text(std::string_view written);
// The same for a document that declares `entities`, and HTML's are known. Every reference is to one of
// them.
std::string attribute_text(std::string_view written, const XmlEntities& entities);

}  // namespace sluice::feed
