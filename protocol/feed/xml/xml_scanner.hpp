// One strict pass over XML text. Checks that the text is well-formed ("XML 1.0", fifth edition, and "Namespaces in XML
// 1.0"), makes its tree, finds the range of each element, and rewrites the few places where another parser's tree would
// differ from that one. Nothing is recursive. Pure function; any thread.
#pragma once

#include <algorithm>
#include <boost/system/result.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/namespaces.hpp"
#include "protocol/feed/model/source_context.hpp"
#include "protocol/feed/model/tree.hpp"
#include "protocol/feed/xml/xml_normal_form.hpp"

namespace sluice::feed {

struct ElementRange {
    std::uint32_t begin = 0;  // its bytes in the text, both tags included
    std::uint32_t end = 0;
    std::uint32_t values = 0;               // elements, attributes, comments … in it, itself included
    const KnownNamespace* known = nullptr;  // its namespace, or null
};

struct ScannedXml {
    explicit ScannedXml(Tree empty) : tree(std::move(empty)) {}

    // The vectors of fewer elements have spare room.
    static constexpr std::size_t few_elements = 1'000;
    // For which there is room at first: of most documents with so many bytes.
    static constexpr std::size_t usual_nodes(std::size_t text_bytes) {
        return std::clamp<std::size_t>(text_bytes / 56, 48, 4'096);
    }

    // With views of the text. In it, the prefixes of known namespaces are the customary ones, and those of no other, in
    // names and in declarations.
    Tree tree;
    // The XML whose tree this is, in which the only references are XML's: the text from `unchanged_from` on, without
    // the XML declaration, the DOCTYPE and the white space before the root element, unless `rewritten` is not empty.
    std::string rewritten;
    std::size_t unchanged_from = 0;
    std::string_view xml(std::string_view text) const {
        return rewritten.empty() ? text.substr(unchanged_from) : std::string_view(rewritten);
    }

    std::vector<ElementRange> elements;      // in document order
    SourceContext context;                   // with views of the text
    std::vector<UndeclaredName> undeclared;  // in document order, with views of the text
    bool has_capitals = false;               // some element's name begins with a capital letter, without a prefix
    XmlNormalForm normal_form;               // empty: not asked for
};

// `text` outlives what is made of it. It is UTF-8 without control characters (find_bad_text). Limits: limits.depth_max
// for the nesting of elements, limits.values_max for the number of values. The normal form is made if `ignored` is not
// null: without these parts.
boost::system::result<ScannedXml, FeedError> scan_xml(const std::string& text, const FeedLimits& limits,
                                                      const IgnoredParts* ignored = nullptr);

}  // namespace sluice::feed
