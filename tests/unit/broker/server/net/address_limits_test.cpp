#include "broker/server/net/address_limits.hpp"

#include <catch2/catch.hpp>

TEST_CASE("address_limits: by default an address has at most a quarter of the connections") {
    sluice::config::LimitOptions options;
    CHECK(sluice::server::address_limits(options, 20'000).connections == 1'000);
    CHECK(sluice::server::address_limits(options, 829).connections == 207);
    CHECK(sluice::server::address_limits(options, 1).connections == 1);
    for (const std::size_t chosen : {0u, 5'000u}) {
        options.address_connections = chosen;
        CHECK(sluice::server::address_limits(options, 829).connections == chosen);
    }
}
