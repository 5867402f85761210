// The identity of a connection's client. A plain value, created when the connection is admitted.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>

namespace sluice::server {

struct Principal {
    boost::asio::ip::address address;
    std::string user{};  // the authenticated user; empty: anonymous
};

}  // namespace sluice::server
