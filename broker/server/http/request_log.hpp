// The log's lines about connections and requests, all of the level debug. They have no queries, bodies or credentials.
// Any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include "broker/server/http/http_types.hpp"
#include "broker/server/http/request_reader.hpp"

namespace sluice::server {

// A request whose reply begins, even if its head is not well-formed.
struct AnsweredRequest {
    std::string_view peer;   // the client
    std::string_view proxy;  // that sent it for the client; "": none
    bool is_local = false;
    std::string_view user;                          // "": anonymous
    const RequestReader::Head& head;                // as much as could be parsed
    std::size_t body_bytes = 0;                     // received
    std::optional<std::chrono::microseconds> took;  // from the end of its head; none: that has not come
};

// With the reason, if it is refused: the detail of the problem without the client's texts that it quotes. Of a problem
// about a document or a filter, the title and the place.
void log_request(const AnsweredRequest& request, const HttpReply& reply);

void log_opened(std::string_view peer);
void log_closed(std::string_view peer, std::size_t requests, std::chrono::steady_clock::duration open_for);

}  // namespace sluice::server
