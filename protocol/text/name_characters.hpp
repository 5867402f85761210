// Which characters may stand in a name: XML 1.0 (fifth edition) NameStartChar and NameChar, both without the colon.
// Pure functions; any thread.
#pragma once

namespace sluice {

bool is_name_start(char32_t c);
bool is_name_char(char32_t c);

}  // namespace sluice
