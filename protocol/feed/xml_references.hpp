// The references in a document's text and attribute values. Reads past them, and has those that pugixml doesn't know
// replaced by the text that they stand for. Belongs to one reader of the document.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "protocol/feed/rewriter.hpp"
#include "protocol/feed/xml_cursor.hpp"
#include "protocol/feed/xml_doctype.hpp"

namespace sluice::feed {

// The entities that every document has: lt, gt, amp, quot, apos.
bool is_xml_entity(std::string_view name);

class XmlReferences {
public:
    // The most text that references to a document's own entities may add.
    static constexpr std::size_t expansion_bytes_max = 1u << 20;

    // `doctype` declares the document's own entities; it may be read after this.
    XmlReferences(XmlCursor& cursor, Rewriter& rewriter, const XmlDoctype& doctype)
        : cursor_(cursor), rewriter_(rewriter), doctype_(doctype) {}

    // At '&': reads past the reference. Notes edits, to be applied with the others of the tag or text. Returns false if
    // it has noted a fault.
    bool reference();

private:
    bool own_entity(const XmlEntity& entity, std::string_view name, std::size_t begin);

    XmlCursor& cursor_;
    Rewriter& rewriter_;
    const XmlDoctype& doctype_;
    std::map<const XmlEntity*, std::string> texts_;  // of the entities used so far
    std::size_t expanded_bytes_ = 0;
};

}  // namespace sluice::feed
