#include "broker/server/net/proxy_header.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <string>

#include "broker/server/net/plain_address.hpp"

namespace sluice::server {

namespace ip = boost::asio::ip;

namespace {

constexpr std::string_view v1_begin = "PROXY ";
constexpr std::string_view v2_begin("\r\n\r\n\0\r\nQUIT\n", 12);
constexpr std::size_t v2_fixed_bytes = 16;
constexpr unsigned port_max = 65'535;

// Takes the word up to the next space off the front; words are separated by one space each.
std::string_view take_word(std::string_view& line) {
    const std::size_t space = line.find(' ');
    const std::string_view word = line.substr(0, space);
    line = space == std::string_view::npos ? std::string_view() : line.substr(space + 1);
    return word;
}

bool is_port(std::string_view text) {
    if (text.empty() || text.size() > 5 || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
    if (text.front() == '0') return text.size() == 1;
    return std::stoul(std::string(text)) <= port_max;
}

std::optional<ip::address> parse_address(std::string_view text, bool is_v6) {
    if (text.find('%') != std::string_view::npos || text.find('\0') != std::string_view::npos) return std::nullopt;
    boost::system::error_code error;
    const ip::address address = ip::make_address(std::string(text), error);
    return error || address.is_v6() != is_v6 ? std::nullopt : std::optional(address);
}

// `line`: what follows "PROXY ", without the end of the line.
ProxyHeader parse_line(std::string_view line, std::size_t bytes) {
    const std::string_view family = take_word(line);
    if (family == "UNKNOWN") return {ProxyHeader::State::done, bytes};
    if (family != "TCP4" && family != "TCP6") return {};
    const bool is_v6 = family == "TCP6";
    const auto client = parse_address(take_word(line), is_v6), server = parse_address(take_word(line), is_v6);
    const std::string_view client_port = take_word(line);  // the last word is the server's port
    if (!client || !server || !is_port(client_port) || !is_port(line)) return {};
    return {ProxyHeader::State::done, bytes, plain_address(*client)};
}

ProxyHeader parse_v1(std::string_view text) {
    const std::string_view possible = text.substr(0, ProxyHeader::v1_bytes_max);
    const std::size_t end = possible.find('\n');
    if (end == std::string_view::npos)
        return {possible.size() < ProxyHeader::v1_bytes_max ? ProxyHeader::State::more : ProxyHeader::State::refused};
    if (possible[end - 1] != '\r') return {};
    return parse_line(possible.substr(v1_begin.size(), end - 1 - v1_begin.size()), end + 1);
}

template <typename Address>
ip::address address_at(std::string_view text) {
    typename Address::bytes_type bytes;
    std::copy_n(text.begin(), bytes.size(), bytes.begin());
    return plain_address(Address(bytes));
}

// `addresses`: the block of two addresses and two ports, and whatever extends it.
ProxyHeader parse_addresses(unsigned family, std::string_view addresses, std::size_t bytes) {
    constexpr unsigned unspecified = 0x00, tcp4 = 0x11, tcp6 = 0x21, unix_stream = 0x31;
    constexpr std::size_t tcp4_bytes = 12, tcp6_bytes = 36, unix_bytes = 216;
    switch (family) {
        case unspecified:
            return {ProxyHeader::State::done, bytes};
        case tcp4:
            if (addresses.size() < tcp4_bytes) return {};
            return {ProxyHeader::State::done, bytes, address_at<ip::address_v4>(addresses)};
        case tcp6:
            if (addresses.size() < tcp6_bytes) return {};
            return {ProxyHeader::State::done, bytes, address_at<ip::address_v6>(addresses)};
        case unix_stream:
            if (addresses.size() < unix_bytes) return {};
            return {ProxyHeader::State::done, bytes};
        default:
            return {};
    }
}

ProxyHeader parse_v2(std::string_view text) {
    constexpr unsigned local = 0x20, proxy = 0x21;  // with the version in the upper half
    const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(text[at])); };
    const std::size_t at = v2_begin.size();
    if (text.size() > at && byte(at) != local && byte(at) != proxy) return {};
    if (text.size() < v2_fixed_bytes) return {ProxyHeader::State::more};
    const std::size_t bytes = v2_fixed_bytes + (byte(at + 2) << 8 | byte(at + 3));
    if (bytes > ProxyHeader::v2_bytes_max) return {};
    if (text.size() < bytes) return {ProxyHeader::State::more};
    if (byte(at) == local) return {ProxyHeader::State::done, bytes};
    return parse_addresses(byte(at + 1), text.substr(v2_fixed_bytes, bytes - v2_fixed_bytes), bytes);
}

// Whether one of them begins with the other.
bool agree(std::string_view text, std::string_view begin) {
    const std::size_t n = std::min(text.size(), begin.size());
    return text.substr(0, n) == begin.substr(0, n);
}

}  // namespace

ProxyHeader parse_proxy_header(std::string_view text) {
    if (text.empty()) return {ProxyHeader::State::more};
    if (agree(text, v2_begin))
        return text.size() < v2_begin.size() ? ProxyHeader{ProxyHeader::State::more} : parse_v2(text);
    if (agree(text, v1_begin))
        return text.size() < v1_begin.size() ? ProxyHeader{ProxyHeader::State::more} : parse_v1(text);
    return {};
}

}  // namespace sluice::server
