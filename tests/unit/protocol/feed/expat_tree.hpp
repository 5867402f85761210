// Expat as an oracle for well-formedness and for the content of a document.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>

namespace sluice::feed {

struct ExpatVerdict {
    std::optional<std::string> tree;  // absent: not well-formed
    std::string error;
    bool is_unbound_prefix = false;
};

// Both write a tree in the same form: elements with their customary names and sorted attributes, and texts without
// white space, since pugixml may leave out texts of only white space.
ExpatVerdict expat_tree(const std::string& text);
std::string pugixml_tree(const pugi::xml_document& document);

}  // namespace sluice::feed
