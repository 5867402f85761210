#include "broker/server/net/proxy_header.hpp"

#include <catch2/catch.hpp>
#include <string>

using sluice::server::parse_proxy_header;
using sluice::server::ProxyHeader;
using State = sluice::server::ProxyHeader::State;

namespace {

std::string v2(unsigned command, unsigned family, const std::string& rest) {
    std::string text("\r\n\r\n\0\r\nQUIT\n", 12);
    for (const unsigned byte :
         {command, family, static_cast<unsigned>(rest.size() >> 8), static_cast<unsigned>(rest.size() & 0xff)})
        text += static_cast<char>(byte);
    return text + rest;
}

const std::string v4_addresses("\xC0\x00\x02\x01\x0A\x00\x00\x01\x12\x34\x00\x50", 12);
const std::string v6_addresses = std::string("\x20\x01\x0D\xB8", 4) + std::string(11, '\0') + "\x01" +
                                 std::string(16, '\1') + std::string("\x12\x34\x00\x50", 4);

// The client, "peer" or "refused", however the header arrives and whatever follows it.
std::string read(const std::string& header) {
    for (std::size_t n = 0; n < header.size(); ++n) {
        const State state = parse_proxy_header(std::string_view(header).substr(0, n)).state;
        if (state == State::refused) return "refused";
        CHECK(state == State::more);
    }
    const ProxyHeader all = parse_proxy_header(header), with_more = parse_proxy_header(header + "GET /");
    CHECK(all.state == with_more.state);
    CHECK(all.bytes == with_more.bytes);
    CHECK(all.client == with_more.client);
    if (all.state != State::done) return all.state == State::more ? "more" : "refused";
    CHECK(all.bytes == header.size());
    return all.client ? all.client->to_string() : "peer";
}

}  // namespace

TEST_CASE("parse_proxy_header: version 1") {
    CHECK(read("PROXY TCP4 192.0.2.1 10.0.0.1 56324 443\r\n") == "192.0.2.1");
    CHECK(read("PROXY TCP6 2001:db8::1 ::1 0 65535\r\n") == "2001:db8::1");
    CHECK(read("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 1\r\n") == "192.0.2.1");
    CHECK(read("PROXY UNKNOWN\r\n") == "peer");
    CHECK(read("PROXY UNKNOWN whatever 1 2\r\n") == "peer");
    const std::string address = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
    CHECK(read("PROXY TCP6 " + address + " " + address + " 65535 65535\r\n") == address);
    CHECK(read("PROXY UNKNOWN " + std::string(107 - 16, 'x') + "\r\n") == "peer");
}

TEST_CASE("parse_proxy_header: version 1 has one form only") {
    for (const char* line : {"PROXY\r\n",
                             "PROXY \r\n",
                             "PROXY TCP4\r\n",
                             "PROXY TCP4 192.0.2.1 10.0.0.1 1\r\n",
                             "PROXY TCP4 192.0.2.1 10.0.0.1 1 2 3\r\n",
                             "PROXY TCP4  192.0.2.1 10.0.0.1 1 2\r\n",
                             "PROXY TCP4 192.0.2.1 10.0.0.1 1 2 \r\n",
                             "PROXY TCP4 2001:db8::1 ::1 1 2\r\n",
                             "PROXY TCP6 192.0.2.1 10.0.0.1 1 2\r\n",
                             "PROXY TCP4 192.0.2.1 nonsense 1 2\r\n",
                             "PROXY TCP4 192.0.2.1 10.0.0.1 65536 2\r\n",
                             "PROXY TCP4 192.0.2.1 10.0.0.1 01 2\r\n",
                             "PROXY TCP4 192.0.2.1 10.0.0.1 1 -2\r\n",
                             "PROXY TCP4 192.0.2.1 10.0.0.1 1 2\n",
                             "PROXY UDP4 192.0.2.1 1 1 2\r\n",
                             "PROXY tcp4 192.0.2.1 10.0.0.1 1 2\r\n",
                             "PROXY UNKNOWNS\r\n",
                             "PROXY TCP6 fe80::1%1 ::1 1 2\r\n",
                             "PROXY \n",
                             "GET / HTTP/1.1\r\n",
                             "proxy UNKNOWN\r\n",

                             "PROXYUNKNOWN\r\n"}) {
        CAPTURE(line);
        CHECK(read(line) == "refused");
    }
    CHECK(parse_proxy_header("\r\n").state == State::more);  // version 2 begins so
    CHECK(read("PROXY UNKNOWN " + std::string(108 - 16, 'x') + "\r\n") == "refused");
}

TEST_CASE("parse_proxy_header: version 2") {
    CHECK(read(v2(0x21, 0x11, v4_addresses)) == "192.0.2.1");
    CHECK(read(v2(0x21, 0x21, v6_addresses)) == "2001:db8::1");
    CHECK(read(v2(0x21, 0x31, std::string(216, '/'))) == "peer");
    CHECK(read(v2(0x21, 0x00, "")) == "peer");
    // What a proxy says of itself, whatever else it writes.
    CHECK(read(v2(0x20, 0x00, "")) == "peer");
    CHECK(read(v2(0x20, 0x11, v4_addresses)) == "peer");
    CHECK(read(v2(0x20, 0xff, "x")) == "peer");
    // Extensions.
    CHECK(read(v2(0x21, 0x11, v4_addresses + std::string("\x04\x00\x02zz", 5))) == "192.0.2.1");
    CHECK(read(v2(0x21, 0x11, v4_addresses + std::string(1'024 - 12, '\xff'))) == "192.0.2.1");
    const std::string mapped =
        std::string(10, '\0') + "\xff\xff\xC0" + std::string("\x00\x02\x01", 3) + std::string(20, '\0');
    CHECK(read(v2(0x21, 0x21, mapped)) == "192.0.2.1");
}

TEST_CASE("parse_proxy_header: version 2 refuses what it does not define") {
    CHECK(read(v2(0x21, 0x11, v4_addresses.substr(1))) == "refused");
    CHECK(read(v2(0x21, 0x21, v6_addresses.substr(1))) == "refused");
    CHECK(read(v2(0x21, 0x31, std::string(215, '/'))) == "refused");
    for (const unsigned command : {0x00u, 0x11u, 0x22u, 0x2fu, 0x31u, 0xffu})
        CHECK(read(v2(command, 0x11, v4_addresses)) == "refused");
    for (const unsigned family : {0x12u, 0x22u, 0x32u, 0x41u, 0x10u, 0xffu})
        CHECK(read(v2(0x21, family, std::string(300, '\1'))) == "refused");
    CHECK(read(v2(0x21, 0x11, v4_addresses + std::string(1'025 - 12, '\0'))) == "refused");
    CHECK(read(v2(0x20, 0x00, std::string(1'025, '\0'))) == "refused");
    std::string damaged = v2(0x21, 0x11, v4_addresses);
    damaged[11] = '\r';
    CHECK(read(damaged) == "refused");
}
