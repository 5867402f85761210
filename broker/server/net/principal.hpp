// The identity of a client: of a connection, and of each of its requests, since a proxy's are those of others. A plain
// value.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>

#include "broker/auth/user.hpp"
#include "broker/server/net/plain_address.hpp"

namespace sluice::server {

struct Principal {
    explicit Principal(const boost::asio::ip::address& of) : address(plain_address(of)) {}

    boost::asio::ip::address address;  // IPv4-mapped ones as IPv4; of a Unix socket's client: 127.0.0.1
    // The name that the client proved to have, for the log: of a connection, that of its certificate, unless it is a
    // trusted proxy's. Empty: none.
    std::string user;
    auth::UserPtr account = auth::nobody();  // whose rights a request has
    // Of a connection: whether it came over loopback or a Unix socket. Of a request: also whether it came from no
    // trusted proxy, has no field of another one and asked for a loopback host, so that neither these nor a web page
    // make it for others. A proxy on this machine that is not trusted and adds no field is not noticed.
    bool is_local = false;
    std::string ticket{};  // the id of the ticket that a request for an event stream came with; empty: none
};

}  // namespace sluice::server
