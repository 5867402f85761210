// Expat as an oracle for well-formedness and for the content of a document.
#pragma once

#include <cstddef>
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
std::string pugixml_tree(pugi::xml_node element);

// The element that begins at this offset: names with their namespaces, sorted attributes, texts. Without the xml:base
// and xml:lang of its own tag, which an item may have inherited. Absent: the text is not well-formed.
ExpatVerdict expat_element(const std::string& text, std::size_t offset);

}  // namespace sluice::feed
