// Any text as a date: read or refused, and what was read is read the same when it is written as RFC 3339.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "protocol/text/date.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace sluice::text;
    const auto seconds = parse_date(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!seconds) return 0;
    const std::string text = format_rfc3339(*seconds);
    if (text.empty()) return 0;  // an offset moved it out of the years 0 to 9999
    const auto again = parse_date(text);
    constexpr double microsecond = 1e-6;
    const double rounding = std::abs(*seconds) * 1e-15;
    if (!again || std::abs(*again - *seconds) > microsecond + rounding) std::abort();
    return 0;
}
