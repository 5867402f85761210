// Who sent a request that came through proxies, as its head says. Pure; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>

#include "broker/server/http/http_types.hpp"
#include "broker/server/net/trusted_proxies.hpp"

namespace sluice::server {

// The address of the client, by X-Forwarded-For or else by Forwarded. Proxies that do not know one of them pass on what
// a client writes there; more of them know X-Forwarded-For. `peer`: the address that the request came from, which is
// trusted; it is the client's if the fields name none.
boost::asio::ip::address forwarded_client(const HeadFields& head, const TrustedProxies& trusted,
                                          const boost::asio::ip::address& peer);

// Whether the head has a field that only proxies write, whoever did.
bool is_forwarded(const HeadFields& head);

}  // namespace sluice::server
