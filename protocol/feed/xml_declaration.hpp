// The XML declaration. Pure function; any thread.
#pragma once

#include "protocol/feed/xml_cursor.hpp"

namespace sluice {

// At "<?xml": reads <?xml version="1.0" encoding="utf-8" standalone="yes"?>. Only its form counts: the text has been
// converted, and whatever version is written is read as 1.0, as other parsers do. False: a fault is noted.
bool read_xml_declaration(XmlCursor& cursor);

}  // namespace sluice
