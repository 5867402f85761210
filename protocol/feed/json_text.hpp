// Writing JSON text by hand, where building a tree of values first would cost too much. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Appends `text` as a JSON string, with its quotes. The result is valid JSON, one line and valid UTF-8 whatever the
// text is: control characters are escaped, and a byte that is no UTF-8 becomes U+FFFD.
void append_json_string(std::string& json, std::string_view text);

// Seconds since 1970 as RFC 3339 text in UTC, "2024-02-29T23:59:59Z", with milliseconds if there are any; "" for NaN
// and for years that RFC 3339 can't write.
std::string rfc3339_text(double seconds);

}  // namespace sluice
