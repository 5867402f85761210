#include <algorithm>
#include <arpa/inet.h>
#include <array>

#include "config/options.hpp"

namespace sluice::config {

std::string ListenerOptions::text() const {
    return is_unix() ? "unix:" + unix_path : address + " port " + std::to_string(port);
}

std::vector<ListenerOptions> places_to_listen(const HttpOptions& options) {
    if (!options.listeners.empty()) return options.listeners;
    ListenerOptions plain;
    plain.address = options.address;
    plain.port = options.port;
    return {plain};
}

bool is_loopback_address(const std::string& address) {
    constexpr unsigned char loopback_network = 127;
    constexpr std::array<unsigned char, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    in_addr v4{};
    if (inet_pton(AF_INET, address.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == loopback_network;
    in6_addr v6{};
    if (inet_pton(AF_INET6, address.c_str(), &v6) != 1) return false;
    const bool is_mapped = std::equal(mapped.begin(), mapped.end(), v6.s6_addr);
    return is_mapped ? v6.s6_addr[mapped.size()] == loopback_network : IN6_IS_ADDR_LOOPBACK(&v6);
}

}  // namespace sluice::config
