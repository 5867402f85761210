// Makes well-formed XML of text that is meant to be XML, in one pass, so that the strict scanner can read it: what is
// missing is added, what stands in the way becomes text or is left out. Pure function; any thread.
#pragma once

#include <algorithm>
#include <boost/system/result.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/repair/xml_edits.hpp"

namespace sluice::feed {

struct RepairedXml {
    std::string text;
    // Places of `text` where elements begin that the document ends inside of, outermost first; empty: it is complete.
    std::vector<std::size_t> torn;
    XmlEdits edits;
    // Declarations added to the root: their place in `text`, and their length.
    std::size_t declared_at = 0, declared = 0;

    // The place in the original text that this place of `text` came from.
    std::size_t source_of(std::size_t position) const {
        if (position <= declared_at) return edits.source_of(position);
        return edits.source_of(position - std::min(position - declared_at, declared));
    }
};

// `text` is UTF-8 without control characters. The element that begins at `end` is left out, with everything that
// follows, as if the document ended there; npos: there is none. With `any_root`, the first element is the root,
// whatever it is; else pieces of a page before a feed are left out. Notes each repair. Takes time proportional to the
// text's length. Fails if there is no root element (not_well_formed), if the document is a page (not_a_feed), or if
// limits are exceeded: limits.depth_max, limits.document_bytes_max of the result, NamespaceScopes::bindings_max.
boost::system::result<RepairedXml, FeedError> repair_xml(const std::string& text, const FeedLimits& limits,
                                                         bool any_root, Repairs& repairs,
                                                         std::size_t end = std::string::npos);

}  // namespace sluice::feed
