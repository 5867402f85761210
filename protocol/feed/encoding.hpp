// Any encoding that feeds come in -> UTF-8. Pure function; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/feed/feed_error.hpp"

namespace sluice {

// The encoding is the one of the byte order mark, else `charset` (the parameter of the HTTP content type), else that
// of the XML declaration, else UTF-8. Names mean what the WHATWG Encoding Standard says they mean to browsers, so
// ISO-8859-1 is read as windows-1252. UTF-8 is passed on as it is, with its byte order mark, after a check.
// Errors: an encoding that is unknown; bytes that are not text in it (the offset is that of the input); a
// character that no feed can have (find_bad_text); a result above bytes_max.
boost::system::result<std::string, FeedError> to_utf8(std::string bytes, std::string_view charset,
                                                      std::size_t bytes_max);

}  // namespace sluice
