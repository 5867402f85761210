// The references in a document's text and attribute values. Reads past them, and has those that pugixml doesn't know
// replaced by the text that they stand for. Belongs to one reader of the document.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "protocol/feed/model/xml_entities.hpp"
#include "protocol/feed/xml/rewriter.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"

namespace sluice::feed {

// What an entity that every document has stands for (lt, gt, amp, quot, apos); NUL for others.
char xml_entity(std::string_view name);

// Appends text with line ends as a reader of XML sees them (XML 1.0 §2.11).
void append_with_line_feeds(std::string& out, std::string_view written);

class XmlReferences {
public:
    // The most text that references to a document's own entities may add.
    static constexpr std::size_t expansion_bytes_max = 1u << 20;

    // `entities` are those that the document declares; they may be read after this.
    XmlReferences(XmlCursor& cursor, Rewriter& rewriter, const XmlEntities& entities)
        : cursor_(cursor), rewriter_(rewriter), entities_(entities) {}

    // At '&': reads past the reference. Notes edits, to be applied with the others of the tag or text. Returns false if
    // it has noted a fault.
    bool reference();

    // Append what a text or an attribute's value says, whose references have been read: with references resolved, a
    // line feed for each line end, and in a value spaces for all white space.
    void append_content(std::string& out, std::string_view written) const;
    void append_value(std::string& out, std::string_view written) const;
    // The text of one reference, which is `written` as a whole, in content.
    void append_one(std::string& out, std::string_view written) const { append_text(out, written, false); }

private:
    std::size_t append_reference(std::string& out, std::string_view written, bool in_value) const;
    void append_text(std::string& out, std::string_view reference, bool in_value) const;
    std::string_view as_written(std::string_view text);
    bool own_entity(const XmlEntity& entity, std::string_view name, std::size_t begin);

    XmlCursor& cursor_;
    Rewriter& rewriter_;
    const XmlEntities& entities_;
    std::map<const XmlEntity*, std::string> texts_;  // of the entities used so far
    std::set<std::string> written_;                  // of HTML's entities used so far, where that is not their text
    std::size_t expanded_bytes_ = 0;
};

}  // namespace sluice::feed
