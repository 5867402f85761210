// Expat as an oracle for well-formedness and for what a document says.
#pragma once

#include <optional>
#include <pugixml.hpp>
#include <string>

namespace sluice {

struct ExpatVerdict {
    std::optional<std::string> tree;  // absent: not well-formed
    std::string error;
    bool is_unbound_prefix = false;
};

// Both write a tree in the same way: elements with their customary names and sorted attributes, and texts without their
// white space, which pugixml may leave out where there is nothing else.
ExpatVerdict expat_tree(const std::string& text);
std::string pugixml_tree(const pugi::xml_document& document);

}  // namespace sluice
