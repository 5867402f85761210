// Server-sent events as text (WHATWG HTML, section 9.2). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends `text` as data: lines. Any of CR LF, CR and LF ends a line, as it does for the reader, who sees LF.
void append_sse_data(std::string& out, std::string_view text);

}  // namespace sluice
