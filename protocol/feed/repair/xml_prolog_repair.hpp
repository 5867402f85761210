// Repairs what stands before the root element, and comments and processing instructions anywhere.
#pragma once

#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/repair/xml_edits.hpp"
#include "protocol/feed/repair/xml_loose_tag.hpp"
#include "protocol/feed/repair/xml_reference_repair.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"

namespace sluice::feed {

// Moves to the root's '<'. With `any_root`, that is the first element; else text and pieces of a page may stand before
// a feed, and are left out. False: there is no root; the cursor is at what stands instead.
bool repair_prolog(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs, XmlReferenceRepair& references, bool any_root);

// At "<!--": moves behind the comment. False: it does not end; the cursor stays.
bool repair_comment(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs);

// At "<?": moves behind the instruction (`tag`). Else the cursor stays: it is none, or it does not end.
LooseMarkup repair_instruction(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs);

}  // namespace sluice::feed
