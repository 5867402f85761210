// The replies to requests for which there is no room now. Pure; any thread.
#pragma once

#include <chrono>
#include <string>

#include "broker/core/ingest/memory_shortage.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// 503 with Retry-After.
HttpReply busy_problem(std::string detail);
// 429: the address exceeds its share, and may try again after `wait`.
HttpReply share_problem(std::string detail, std::chrono::nanoseconds wait);
// 429: the address has limits.address_connections already.
HttpReply connections_problem();
// There is no memory for the request: 503, or 413 if there never will be.
HttpReply memory_problem(broker::MemoryShortage shortage);

}  // namespace sluice::server
