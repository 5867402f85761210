// An HTTP Content-Type (RFC 9110 §8.3), as far as it matters for a feed. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

struct MediaType {
    std::string type;     // "application/xml", in lower case
    std::string charset;  // as written; empty if it is not there
};

// Never fails: what can't be read is left out.
MediaType parse_media_type(std::string_view text);

}  // namespace sluice
