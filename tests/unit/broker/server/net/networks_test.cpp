#include "broker/server/net/networks.hpp"

#include <catch2/catch.hpp>

#include "broker/server/net/trusted_proxies.hpp"

using sluice::server::Networks;

namespace {

boost::asio::ip::address ip(const std::string& text) { return boost::asio::ip::make_address(text); }

}  // namespace

TEST_CASE("Networks: contains addresses by the bits of their prefix") {
    const Networks networks(
        std::vector<std::string>{"127.0.0.0/8", "::1", "10.1.2.4/30", "192.0.2.1", "2001:db8::/33"});
    for (const char* address : {"127.0.0.1", "127.255.0.1", "::ffff:127.0.0.1", "::1", "10.1.2.4", "10.1.2.7",
                                "192.0.2.1", "2001:db8:7fff::1"}) {
        CAPTURE(address);
        CHECK(networks.contains(ip(address)));
    }
    for (const char* address : {"128.0.0.1", "::2", "10.1.2.8", "10.1.2.3", "192.0.2.0", "2001:db8:8000::1"}) {
        CAPTURE(address);
        CHECK_FALSE(networks.contains(ip(address)));
    }
}

TEST_CASE("Networks: 0 bits contain every address of the family, and IPv6 includes IPv4") {
    const Networks v4(std::vector<std::string>{"0.0.0.0/0"}), all(std::vector<std::string>{"::/0"});
    CHECK(v4.contains(ip("203.0.113.9")));
    CHECK_FALSE(v4.contains(ip("2001:db8::1")));
    CHECK(all.contains(ip("203.0.113.9")));
    CHECK(all.contains(ip("2001:db8::1")));
    CHECK_FALSE(Networks({}).contains(ip("203.0.113.9")));
}

TEST_CASE("TrustedProxies: unix stands for the peers of Unix sockets, and is not an address") {
    const sluice::server::TrustedProxies none({}), both({"unix", "192.0.2.1"});
    CHECK_FALSE(none.has_unix_peers());
    CHECK_FALSE(none.contains(ip("127.0.0.1")));
    CHECK(both.has_unix_peers());
    CHECK(both.contains(ip("192.0.2.1")));
    CHECK_FALSE(both.contains(ip("127.0.0.1")));
}
