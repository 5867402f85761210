// A set of addresses and networks. IPv4-mapped IPv6 addresses (::ffff:192.0.2.1) are the IPv4 addresses that they
// stand for. Immutable; any thread.
#pragma once

#include <array>
#include <boost/asio/ip/address.hpp>
#include <span>
#include <string>
#include <vector>

namespace sluice::server {

class Networks {
public:
    // Of texts such as "192.0.2.1", "10.0.0.0/8" or "2001:db8::/32". Ignores others: the configuration has been checked
    // for them.
    explicit Networks(std::span<const std::string> texts);

    bool contains(const boost::asio::ip::address& address) const;

private:
    struct Network {
        std::array<unsigned char, 16> address{};
        unsigned bits = 0;
    };

    std::vector<Network> networks_;
};

}  // namespace sluice::server
