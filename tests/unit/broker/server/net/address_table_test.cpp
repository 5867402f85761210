#include "broker/server/net/address_table.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using sluice::server::AddressBytes;
using sluice::server::AddressLimits;
using sluice::server::AddressPlace;
using sluice::server::AddressTable;

namespace {

const AddressTable::Clock::time_point start{1h};

boost::asio::ip::address ip(const std::string& text) { return boost::asio::ip::make_address(text); }

}  // namespace

TEST_CASE("an address has a limited number of connections") {
    AddressLimits limits;
    limits.connections = 2;
    AddressTable table(limits);
    const AddressPlace first = table.connect(ip("192.0.2.1"), start);
    {
        const AddressPlace second = table.connect(ip("192.0.2.1"), start);
        CHECK(first);
        CHECK(second);
        CHECK_FALSE(table.connect(ip("192.0.2.1"), start));
        CHECK_FALSE(table.connect(ip("::ffff:192.0.2.1"), start));
        CHECK(table.connect(ip("192.0.2.2"), start));
    }
    CHECK(table.connect(ip("192.0.2.1"), start));
}

TEST_CASE("an IPv6 network is one address") {
    AddressLimits limits;
    limits.connections = 1;
    AddressTable table(limits);
    const AddressPlace first = table.connect(ip("2001:db8:1:2::1"), start);
    CHECK_FALSE(table.connect(ip("2001:db8:1:2:ffff::2"), start));
    CHECK(table.connect(ip("2001:db8:1:3::1"), start));
}

TEST_CASE("requests have a rate, and after a pause twice as many at once") {
    AddressLimits limits;
    limits.requests = 10;
    AddressTable table(limits);
    const AddressPlace place = table.connect(ip("192.0.2.1"), start);
    for (int i = 0; i < 20; ++i) CHECK_FALSE(place->take_request(start));
    CHECK(place->take_request(start) == 100ms);
    CHECK(place->take_request(start + 99ms) == 1ms);
    CHECK_FALSE(place->take_request(start + 100ms));
    CHECK(place->take_request(start + 100ms));
    // The same from another connection.
    CHECK(table.connect(ip("192.0.2.1"), start)->take_request(start + 100ms));
    CHECK_FALSE(table.connect(ip("192.0.2.2"), start)->take_request(start));
    int granted = 0;
    while (!place->take_request(start + 10s)) ++granted;
    CHECK(granted == 20);
}

TEST_CASE("new streams have a rate of their own, by the minute") {
    AddressLimits limits;
    limits.streams = 3;
    AddressTable table(limits);
    const AddressPlace place = table.connect(ip("192.0.2.1"), start);
    for (int i = 0; i < 3; ++i) CHECK_FALSE(place->take_stream(start));
    CHECK(place->take_stream(start) == 20s);
    CHECK_FALSE(place->take_request(start));
}

TEST_CASE("bytes are given back") {
    AddressLimits limits;
    limits.bytes = 100;
    AddressTable table(limits);
    const AddressPlace place = table.connect(ip("192.0.2.1"), start);
    AddressBytes first(*place);
    CHECK(first.grow(60));
    CHECK(first.grow(10));  // already has more
    {
        AddressBytes second(*place);
        CHECK(second.grow(40));
        CHECK_FALSE(second.grow(41));
        CHECK_FALSE(first.grow(61));
        CHECK_FALSE(AddressBytes(*place).grow(static_cast<std::size_t>(-1)));
    }
    CHECK(first.grow(100));
    CHECK_FALSE(first.grow(101));
}

TEST_CASE("0 is no limit, and some addresses have none") {
    AddressLimits limits;
    AddressTable unlimited(limits);
    const AddressPlace place = unlimited.connect(ip("192.0.2.1"), start);
    CHECK_FALSE(place->limits_requests());
    for (int i = 0; i < 100; ++i) CHECK_FALSE(place->take_request(start));
    CHECK(AddressBytes(*place).grow(static_cast<std::size_t>(-1)));

    limits.connections = 1;
    limits.exempt = {"127.0.0.0/8", "::1", "10.1.2.4/30", "2001:db8::/32"};
    AddressTable table(limits);
    const auto twice = [&](const std::string& address) {
        const AddressPlace first = table.connect(ip(address), start);
        return static_cast<bool>(table.connect(ip(address), start));
    };
    for (const char* address : {"127.0.0.1", "127.255.0.1", "::ffff:127.0.0.1", "::1", "10.1.2.7", "2001:db8:f::1"}) {
        CAPTURE(address);
        CHECK(twice(address));
    }
    for (const char* address : {"128.0.0.1", "::2", "10.1.2.8", "10.1.2.3", "2001:db9::1"}) {
        CAPTURE(address);
        CHECK_FALSE(twice(address));
    }
}

TEST_CASE("addresses that use nothing are forgotten") {
    AddressLimits limits;
    limits.requests = 1;
    AddressTable table(limits);
    const AddressPlace stays = table.connect(ip("192.0.2.1"), start);
    CHECK_FALSE(table.connect(ip("192.0.2.2"), start)->take_request(start + 59s));
    for (unsigned i = 0; i < 100; ++i) table.connect(ip("198.51.100." + std::to_string(i)), start);
    CHECK(table.size() == 102);
    const AddressPlace next = table.connect(ip("192.0.2.3"), start + 59s);
    CHECK(table.size() == 3);  // the second has not earned its token back
    const AddressPlace last = table.connect(ip("192.0.2.4"), start + 120s);
    CHECK(table.size() == 3);
}

TEST_CASE("the table is bounded whoever comes") {
    AddressLimits limits;
    limits.requests = 1;
    AddressTable table(limits);
    for (unsigned i = 0; i < 200'000; ++i) {
        const boost::asio::ip::address_v4 address(0x0b000000 + i);
        // Many in two seconds, none of them idle.
        CHECK_FALSE(table.connect(address, start + i * 10us)->take_request(start + 1h));
    }
    CHECK(table.size() <= 2 * 100'000);
}
