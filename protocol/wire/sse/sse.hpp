// Server-sent events as text (WHATWG HTML, section 9.2). Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::wire {

// Appends `text` as data: lines. CR LF, CR and LF each end a line, as they do for the reader, which sees LF.
void append_sse_data(std::string& out, std::string_view text);

}  // namespace sluice::wire
