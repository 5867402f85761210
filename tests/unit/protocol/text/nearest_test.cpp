#include "protocol/text/nearest.hpp"

#include <catch2/catch.hpp>
#include <string>

TEST_CASE("the nearest name is suggested, if one is near") {
    constexpr std::string_view known[] = {"port", "address", "contains", "id", "idle_timeout"};
    CHECK(sluice::nearest("prot", known) == "port");
    CHECK(sluice::nearest("adress", known) == "address");
    CHECK(sluice::nearest("containz", known) == "contains");
    CHECK(sluice::nearest("timeout_idle", known).empty());
    CHECK(sluice::nearest("xy", known).empty());  // as far from "id" as that is long
    CHECK(sluice::nearest("", known).empty());
    CHECK(sluice::nearest("port", {}).empty());
    CHECK(sluice::nearest(std::string(100, 'x'), known).empty());
}
