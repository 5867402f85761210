// Reads documents whose encoding is not what they say. Pure function; any thread.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "protocol/feed/model/feed_error.hpp"
#include "protocol/feed/model/repairs.hpp"

namespace sluice::feed {

// For bytes that to_utf8() refuses, or reads wrongly (is_utf8_by_another_name): UTF-8 with U+FFFD for what is not text,
// or not a character that XML allows. The encoding is UTF-8 if what is not ASCII shows that; else that of to_utf8() if
// the bytes are text in it; else that of the charset or the declaration if the bytes fit one of them, but for one
// character in ten that is not ASCII (four in five of ISO-2022, after an escape sequence); else UTF-8 if a fifth of
// what is not ASCII is; else windows-1252. A character that the end of the document cuts off does not count. The error
// is a limit's: a result above bytes_max.
boost::system::result<std::string, FeedError> repair_encoding(std::string_view bytes, std::string_view charset,
                                                              std::size_t bytes_max, Repairs& repairs);

// True if the charset or the declaration says another encoding, in which the bytes may even be text, but they are
// UTF-8, as accented letters show that are not ASCII.
bool is_utf8_by_another_name(std::string_view bytes, std::string_view charset);

// True if the charset says UTF-16 or UTF-32, but the bytes are XML in ASCII.
bool is_wrongly_wide(std::string_view bytes, std::string_view charset);

}  // namespace sluice::feed
