#include "protocol/text/nearest.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

TEST_CASE("the nearest name is suggested, if one is near") {
    constexpr std::string_view known[] = {"port", "address", "contains", "id", "idle_timeout"};
    CHECK(sluice::text::nearest("prot", known) == "port");
    CHECK(sluice::text::nearest("adress", known) == "address");
    CHECK(sluice::text::nearest("containz", known) == "contains");
    CHECK(sluice::text::nearest("adres", known) == "address");
    CHECK(sluice::text::nearest("timeout_idle", known).empty());
    CHECK(sluice::text::nearest("xy", known).empty());  // as far from "id" as that is long
    CHECK(sluice::text::nearest("foo", std::array<std::string_view, 1>{"log"}).empty());
    CHECK(sluice::text::nearest("", known).empty());
    CHECK(sluice::text::nearest("port", {}).empty());
    CHECK(sluice::text::nearest(std::string(100, 'x'), known).empty());
}
