// Finds the client for which proxies forward a request, in the lists of its X-Forwarded-For or Forwarded fields
// (RFC 7239), to which each proxy appends the address that it was contacted from. Walks them from their end, as far as
// proxies are trusted: what precedes the address that the first of them saw, anybody may have written. Each step reads
// only the text up to it, so nothing that a client writes before it changes how it is read. What can't be read ends the
// walk. Pure; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "broker/server/net/trusted_proxies.hpp"

namespace sluice::server {

enum class ForwardedSyntax : std::uint8_t { addresses, elements };  // of X-Forwarded-For, of Forwarded

// "192.0.2.1", "192.0.2.1:8080", "2001:db8::1", "[2001:db8::1]" or "[2001:db8::1]:8080"; a port may be "_obfuscated".
// No value for others, such as "unknown". IPv4-mapped addresses as IPv4.
std::optional<boost::asio::ip::address> parse_node(std::string_view text);

class ForwardedWalk {
public:
    static constexpr std::size_t steps_max = 32;  // of the walk, counting empty elements

    // `peer`: the address of a proxy that is trusted.
    ForwardedWalk(const TrustedProxies& trusted, const boost::asio::ip::address& peer)
        : trusted_(trusted), client_(peer) {}

    // Goes on through the text of a field. A request's last field comes first.
    void go_back(std::string_view list, ForwardedSyntax syntax);

    // The first address from the end that is not a trusted proxy's. If there is none, the last that could be read.
    const boost::asio::ip::address& client() const { return client_; }

private:
    void take(const std::optional<boost::asio::ip::address>& address);

    const TrustedProxies& trusted_;
    boost::asio::ip::address client_;
    std::size_t steps_ = 0;
    bool has_ended_ = false;
};

}  // namespace sluice::server
