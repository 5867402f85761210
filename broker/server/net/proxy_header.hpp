// The header of the PROXY protocol, versions 1 and 2, with which a proxy begins a connection that it forwards:
// https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt. Pure; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::server {

struct ProxyHeader {
    // Longer headers are refused: of version 2, of which 1,024 bytes may follow the first 16.
    static constexpr std::size_t v1_bytes_max = 107, v2_bytes_max = 16 + 1'024;

    enum class State : std::uint8_t { more, done, refused };  // more: `text` is only the beginning of a header

    State state = State::refused;
    std::size_t bytes = 0;  // of the header, if it is done
    // The client; IPv4-mapped addresses as IPv4. No value: the proxy itself (LOCAL), or an unknown client.
    std::optional<boost::asio::ip::address> client{};
};

// `text` has arrived of a connection. What follows the header in it is not read.
ProxyHeader parse_proxy_header(std::string_view text);

}  // namespace sluice::server
