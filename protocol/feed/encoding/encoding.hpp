// Converts any encoding that feeds use to UTF-8. Pure functions; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/feed/model/feed_error.hpp"

namespace sluice::feed {

// The encoding is that of the byte order mark, else `charset` (the parameter of the HTTP content type), else that of
// the XML declaration, else UTF-8. Names and bytes mean what the WHATWG Encoding Standard defines for browsers, so
// ISO-8859-1 is read as windows-1252. UTF-8 is checked and passed on unchanged, with its byte order mark. Errors: an
// unknown encoding; bytes that are not text in it (the offset refers to the input); a character that no feed can
// contain (find_bad_text); a result above bytes_max. After an error, `bytes` are as they were.
boost::system::result<std::string, FeedError> to_utf8(std::string&& bytes, std::string_view charset,
                                                      std::size_t bytes_max);

// The error of a result above bytes_max.
FeedError too_large_in_utf8(std::size_t bytes_max);

// No error if `text` could be a result of to_utf8(): UTF-8 without characters that no feed can contain.
std::optional<FeedError> check_utf8(const std::string& text);

}  // namespace sluice::feed
