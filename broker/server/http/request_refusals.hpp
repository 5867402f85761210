// The replies to requests that do not reach their endpoint, because of how they arrived or because there are too many.
// Counts the refusals. Any thread.
#pragma once

#include <chrono>
#include <optional>

#include "broker/server/http/http_types.hpp"
#include "broker/server/http/request_arrival.hpp"

namespace sluice::server {

// Precondition: `end` is neither complete nor peer_left.
HttpReply arrival_refusal(RequestArrival::End end, ConnectionServices& services, const AddressUse& address,
                          const RequestReader& reader);
// The client of a proxy has too many requests and event streams in progress.
HttpReply place_refusal(ConnectionServices& services);
// Returns nothing if the address may make this request.
std::optional<HttpReply> rate_refusal(ConnectionServices& services, AddressUse& address);
// The address may make no more requests before `wait` is over.
HttpReply rate_problem(ConnectionServices& services, std::chrono::nanoseconds wait);

}  // namespace sluice::server
