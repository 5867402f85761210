// The XML declaration. Pure function; any thread.
#pragma once

#include "protocol/feed/xml/xml_cursor.hpp"

namespace sluice::feed {

// At "<?xml": reads <?xml version="1.0" encoding="utf-8" standalone="yes"?>. Only its form is checked: the text has
// already been converted, and any version is read as 1.0, as other parsers do. False: a fault is recorded.
bool read_xml_declaration(XmlCursor& cursor);

}  // namespace sluice::feed
