// Writing JSON text by hand, where building a tree of values first would cost too much. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends `text` as a JSON string, with its quotes. The result is valid JSON, one line and valid UTF-8 whatever the
// text is: control characters are escaped, and a byte that is no UTF-8 becomes U+FFFD.
void append_json_string(std::string& json, std::string_view text);

}  // namespace sluice
