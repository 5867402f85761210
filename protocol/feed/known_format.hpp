// Recognises published bytes that are no text: compressed data, an archive, a picture. Pure function; any thread.
#pragma once

#include <string>
#include <string_view>

namespace sluice::feed {

// Says what the bytes are, and what to do about it; "" for all that may be a document. Looks at the beginning only.
std::string describe_known_format(std::string_view bytes);

}  // namespace sluice::feed
