// Lines and words of texts that pages and scripts are made of. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::cli {

// Takes the first line from `rest`, and returns it without its end.
inline std::string_view take_line(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

// The words, with blanks between them.
inline std::string words_of(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

}  // namespace sluice::cli
