// One strict pass over XML text before the lenient pugixml parses it. Checks that the text is well-formed ("XML 1.0",
// fifth edition, and "Namespaces in XML 1.0"), finds the range of each element, and rewrites the few places where the
// tree is to differ from the text. Nothing is recursive. Pure function; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/namespaces.hpp"
#include "protocol/feed/model/source_context.hpp"
#include "protocol/feed/xml/xml_normal_form.hpp"

namespace sluice::feed {

struct ElementRange {
    std::size_t name = 0;   // offset of its name in ScannedXml::text
    std::size_t begin = 0;  // its bytes in the original text, both tags included
    std::size_t end = 0;
    std::size_t values = 0;                 // elements, attributes, comments … in it, itself included
    const KnownNamespace* known = nullptr;  // its namespace, or null
};

struct ScannedXml {
    // The vectors of fewer elements have spare room.
    static constexpr std::size_t few_elements = 1'000;

    // The original text without the XML declaration, the DOCTYPE and the white space before the root element. In it,
    // - the prefixes of known namespaces are the customary ones, and those of no other, in names and in declarations,
    // - references to HTML's entities and to the document's own are replaced by their text.
    std::string text;
    std::vector<ElementRange> elements;      // in document order
    SourceContext context;                   // with views of the original text
    std::vector<UndeclaredName> undeclared;  // in document order, with views of the original text
    bool has_capitals = false;               // some element's name begins with a capital letter, without a prefix
    XmlNormalForm normal_form;               // empty: not asked for
};

// `text` is UTF-8 without control characters (find_bad_text). Limits: limits.depth_max for the nesting of elements,
// limits.values_max for the number of values. The normal form is made if `ignored` is not null: without these parts.
boost::system::result<ScannedXml, FeedError> scan_xml(const std::string& text, const FeedLimits& limits,
                                                      const IgnoredParts* ignored = nullptr);

}  // namespace sluice::feed
