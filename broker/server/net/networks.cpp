#include "broker/server/net/networks.hpp"

#include <algorithm>
#include <charconv>

#include "broker/server/net/plain_address.hpp"

namespace sluice::server {

namespace {

constexpr unsigned mapped_bits = 96;  // prefix of an IPv4-mapped IPv6 address

}  // namespace

Networks::Networks(std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const std::size_t slash = text.find('/');
        boost::system::error_code error;
        const boost::asio::ip::address address = boost::asio::ip::make_address(text.substr(0, slash), error);
        if (error) continue;
        unsigned bits = address.is_v4() ? 32 : 128;
        if (slash != std::string::npos) std::from_chars(text.data() + slash + 1, text.data() + text.size(), bits);
        networks_.push_back({mapped_bytes(address), std::min(128U, bits + (address.is_v4() ? mapped_bits : 0))});
    }
}

bool Networks::contains(const boost::asio::ip::address& address) const {
    const auto bytes = mapped_bytes(address);
    return std::any_of(networks_.begin(), networks_.end(), [&](const Network& network) {
        const unsigned whole = network.bits / 8;
        if (!std::equal(bytes.begin(), bytes.begin() + whole, network.address.begin())) return false;
        const unsigned rest = network.bits % 8;
        return rest == 0 || (bytes[whole] ^ network.address[whole]) >> (8 - rest) == 0;
    });
}

}  // namespace sluice::server
