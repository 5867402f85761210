// Checks the head of a request before it is routed to an endpoint. If the extent of the body is ambiguous, because
// proxies and servers may read the head differently, the refusal also closes the connection. Pure; any thread.
#pragma once

#include <optional>

#include "broker/server/http/http_types.hpp"
#include "broker/server/http/request_reader.hpp"

namespace sluice::server {

std::optional<HttpReply> find_fault_in_head(const RequestReader::Head& head);

}  // namespace sluice::server
