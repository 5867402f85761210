// The text of an HTTP/1.1 reply's head. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "broker/server/http/http_types.hpp"

namespace sluice::server {

struct ReplyFraming {
    unsigned version = 11;
    bool keep_alive = true;
    std::optional<std::size_t> content_length;  // none: chunked or, for HTTP/1.0, until the connection ends
};

// Appends the status line, the header fields, and the empty line that ends them. If it throws, a part of them.
void append_reply_head(std::string& head, const HttpReply& reply, const ReplyFraming& framing);

}  // namespace sluice::server
