// Server-sent events as text (WHATWG HTML, section 9.2). Pure; any thread.
#pragma once

#include <algorithm>
#include <string_view>

namespace sluice::wire {

// Calls `take` with each line of a text that is to be data, at least one; each becomes a field. CR LF, CR and LF each
// end a line, as they do for the reader, which sees LF.
template <typename Take>
void each_sse_line(std::string_view text, const Take& take) {
    std::size_t begin = 0, line_feed = text.find('\n'), carriage_return = text.find('\r');
    for (;;) {
        const std::size_t end = std::min(line_feed, carriage_return);
        if (end == std::string_view::npos) return take(text.substr(begin));
        take(text.substr(begin, end - begin));
        begin = end + 1;
        if (end == carriage_return) {
            if (line_feed == begin) ++begin;
            carriage_return = text.find('\r', begin);
        }
        if (line_feed < begin) line_feed = text.find('\n', begin);
    }
}

}  // namespace sluice::wire
