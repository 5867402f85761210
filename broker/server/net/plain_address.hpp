// Addresses as they are compared and shown. Pure functions; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <string>

namespace sluice::server {

// An IPv4-mapped IPv6 address (::ffff:192.0.2.1), as a socket that listens on [::] reports IPv4 clients, becomes the
// IPv4 address that it is. Other addresses stay.
inline boost::asio::ip::address plain_address(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

// "192.0.2.1:50000"
inline std::string endpoint_text(const boost::asio::ip::tcp::endpoint& endpoint) {
    return plain_address(endpoint.address()).to_string() + ':' + std::to_string(endpoint.port());
}

}  // namespace sluice::server
