// The characters allowed in names: XML 1.0 (fifth edition) NameStartChar and NameChar, both without the colon. Pure
// functions; any thread.
#pragma once

namespace sluice::text {

bool is_name_start(char32_t c);
bool is_name_char(char32_t c);

}  // namespace sluice::text
