// Addresses as they are compared and shown. Pure functions; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

namespace sluice::server {

// An IPv4-mapped IPv6 address (::ffff:192.0.2.1), as a socket that listens on [::] reports IPv4 clients, becomes the
// IPv4 address that it is. Other addresses stay.
inline boost::asio::ip::address plain_address(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
    return ip::make_address_v4(ip::v4_mapped, address.to_v6());
}

// The bytes of an IPv6 address; an IPv4 address becomes the IPv4-mapped one.
inline std::array<unsigned char, 16> mapped_bytes(const boost::asio::ip::address& address) {
    namespace ip = boost::asio::ip;
    return (address.is_v6() ? address.to_v6() : ip::make_address_v6(ip::v4_mapped, address.to_v4())).to_bytes();
}

// What the limits of an address are kept by: an IPv6 address stands for its /64 network, the usual allocation to one
// customer.
inline std::array<unsigned char, 16> network_key(const boost::asio::ip::address& address) {
    constexpr std::size_t network_bytes = 8;
    auto key = mapped_bytes(address);
    if (plain_address(address).is_v6())
        std::fill(key.begin() + network_bytes, key.end(), static_cast<unsigned char>(0));
    return key;
}

using SocketEndpoint = boost::asio::generic::stream_protocol::endpoint;

// No value: it is that of a Unix socket.
inline std::optional<boost::asio::ip::tcp::endpoint> tcp_endpoint(const SocketEndpoint& endpoint) {
    const int family = endpoint.data()->sa_family;
    if (family != AF_INET && family != AF_INET6) return std::nullopt;
    boost::asio::ip::tcp::endpoint tcp;
    std::memcpy(tcp.data(), endpoint.data(), std::min(endpoint.size(), tcp.capacity()));
    return tcp;
}

// "192.0.2.1:50000", or "unix"
inline std::string endpoint_text(const SocketEndpoint& endpoint) {
    const auto tcp = tcp_endpoint(endpoint);
    return tcp ? plain_address(tcp->address()).to_string() + ':' + std::to_string(tcp->port()) : "unix";
}

}  // namespace sluice::server
