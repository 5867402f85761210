// One strict pass over XML text before pugixml, which is lenient, parses it: checks that it is well-formed ("XML 1.0",
// fifth edition, and "Namespaces in XML 1.0"), finds where each element is, and rewrites the few places where the tree
// shall differ from the text. Nothing is recursive. Pure function; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/feed/document.hpp"
#include "protocol/feed/namespaces.hpp"

namespace sluice {

struct ElementRange {
    std::size_t name = 0;   // where its name begins in ScannedXml::text
    std::size_t begin = 0;  // its bytes in the original text, both tags included
    std::size_t end = 0;
    std::size_t values = 0;                 // elements and attributes in it, itself included
    const KnownNamespace* known = nullptr;  // its namespace
};

struct ScannedXml {
    // The original text from the root element on, where
    // - the prefixes of known namespaces are the customary ones, in names and in declarations,
    // - references to HTML's and to the document's own entities are the text that they stand for.
    std::string text;
    std::vector<ElementRange> elements;  // in document order
};

// `text` is UTF-8 without control characters (find_bad_text). Limits: elements may nest limits.depth_max deep.
boost::system::result<ScannedXml, FeedError> scan_xml(const std::string& text, const FeedLimits& limits);

}  // namespace sluice
