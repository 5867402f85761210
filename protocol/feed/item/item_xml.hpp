// An item as XML that stands alone: one element, well-formed and with all its prefixes declared, as any parser accepts
// it. Names with their namespaces, attributes and text are those that the item has in its document. Pure function; any
// thread.
//
// XML is copied, and changed only where it depends on what is outside the item:
// - The start tag gets the declarations in scope of the prefixes that occur in the item (in names, and at the beginning
//   of attribute values such as xsi:type's), of the default namespace if a name is in it, and the customary
//   declarations of customary prefixes without one. Declarations of other prefixes would make small items large. A
//   prefix that occurs only in text is not found.
// - It gets the xml:base and the xml:lang that it inherits, so that relative links keep their meaning.
// - References to entities and to windows-1252 are replaced by text, outside CDATA sections, comments and
//   processing instructions.
// What is not XML is the item of its tree, <item>. Characters that XML can't have become U+FFFD.
#pragma once

#include <cstddef>
#include <string>

#include "protocol/feed/model/event.hpp"

namespace sluice::feed {

// Inherited attributes may take four times the item's bytes and this many. Beyond that, a namespace is replaced by one
// of nobody's, and xml:base and xml:lang are left out.
inline constexpr std::size_t inherited_bytes_min = 4'096;

// Takes time and space linear in the item's source, and in the text that its entities stand for.
std::string item_xml(const Event& event);

}  // namespace sluice::feed
