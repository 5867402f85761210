#pragma once

#include <string>

#include "protocol/text/date.hpp"

namespace sluice::text {

// The date as RFC 3339, or "none".
inline std::string read_date(std::string_view text) {
    const auto seconds = parse_date(text);
    return seconds ? format_rfc3339(*seconds) : "none";
}

}  // namespace sluice::text
