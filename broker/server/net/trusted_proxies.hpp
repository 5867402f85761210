// The peers that may name the client for which they forward a request or a connection (http.trusted_proxies). Created
// once; any thread.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <string>
#include <vector>

#include "broker/server/net/networks.hpp"

namespace sluice::server {

class TrustedProxies {
public:
    explicit TrustedProxies(const std::vector<std::string>& texts);

    bool contains(const boost::asio::ip::address& address) const { return networks_.contains(address); }
    bool has_unix_peers() const { return has_unix_peers_; }  // whether the peers of Unix sockets are trusted, too

private:
    const Networks networks_;
    const bool has_unix_peers_;
};

}  // namespace sluice::server
