// References that are none, or to nothing, while a document is repaired. Belongs to one repair.
#pragma once

#include "protocol/feed/model/repairs.hpp"
#include "protocol/feed/repair/xml_edits.hpp"
#include "protocol/feed/xml/xml_cursor.hpp"
#include "protocol/feed/xml/xml_doctype.hpp"

namespace sluice::feed {

class XmlReferenceRepair {
public:
    XmlReferenceRepair(XmlCursor& cursor, XmlEdits& edits, Repairs& repairs)
        : cursor_(cursor), edits_(edits), repairs_(repairs) {}

    // At "<!DOCTYPE": reads past it. False: it is faulty, and the cursor is somewhere in it.
    bool doctype() { return read_doctype(cursor_, entities_); }
    // At '&': moves past the reference, or past the '&' if that begins none.
    void reference();

private:
    void capital_x();
    void escape(RepairKind kind, std::size_t begin, std::string_view reason);

    XmlCursor& cursor_;
    XmlEdits& edits_;
    Repairs& repairs_;
    XmlEntities entities_;
};

}  // namespace sluice::feed
