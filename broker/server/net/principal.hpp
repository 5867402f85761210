// The identity of a connection's client. A plain value, created when the connection is admitted.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>

#include "broker/server/net/plain_address.hpp"

namespace sluice::server {

struct Principal {
    explicit Principal(const boost::asio::ip::address& of) : address(plain_address(of)) {}

    boost::asio::ip::address address;  // IPv4-mapped ones as IPv4; of a Unix socket's client: 127.0.0.1
    bool is_local = false;             // of this machine: came over a loopback address or a Unix socket
    std::string user;                  // the authenticated user; empty: anonymous
};

}  // namespace sluice::server
