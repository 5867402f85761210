// A reply may have a takeover in place of a body: an object that takes the connection over and writes to it until it
// ends. Event streams do so.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "broker/server/net/connections.hpp"
#include "broker/server/net/transport.hpp"

namespace sluice::server {

class Takeover {
public:
    Takeover() = default;
    Takeover(const Takeover&) = delete;
    Takeover& operator=(const Takeover&) = delete;
    virtual ~Takeover() = default;

    // First writes `head`, the rendered head of the reply. `chunked`: the head announces it, so the rest must be
    // chunked. `peer`: the client, for logs. Returns when there is nothing more to send; the connection is then closed.
    virtual boost::asio::awaitable<void> run(Transport& transport, Connection& connection, std::string peer,
                                             std::string head, bool chunked) = 0;
    // Ends it soon, after the queued data. Any thread.
    virtual void finish() = 0;
    // Ends it without the queued data: its user may not see it any more. On the connection's thread.
    virtual void revoke() = 0;
};

}  // namespace sluice::server
