// The characters that names may have for every XML processor: those of XML 1.0's fourth edition (appendix B), which the
// fifth allows, too. expat and other parsers know no others. Both without the colon. Pure functions; any thread.
#pragma once

namespace sluice::text {

bool is_portable_name_start(char32_t c);
bool is_portable_name_char(char32_t c);

}  // namespace sluice::text
