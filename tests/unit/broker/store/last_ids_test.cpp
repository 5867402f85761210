#include "broker/store/last_ids.hpp"

#include <catch2/catch.hpp>
#include <string>

using sluice::store::LastIds;

TEST_CASE("a stream that returns has its last id, another begins") {
    LastIds ids(10);
    ids.remember("a", 7);
    CHECK(ids.last_id("a") == 7);
    CHECK(ids.last_id("b") == 0);
    ids.remember("a", 9);
    CHECK(ids.last_id("a") == 9);
}

TEST_CASE("what is remembered is bounded, and no id is given twice whatever is forgotten") {
    LastIds ids(10);
    for (std::uint64_t i = 1; i <= 100; ++i) {
        ids.remember(std::to_string(i), i == 5 ? 1'000 : i);
        CHECK(ids.size() <= 20);
    }
    CHECK(ids.last_id("100") == 100);
    CHECK(ids.last_id("5") == 1'000);
    CHECK(ids.last_id("never seen") == 1'000);
}

TEST_CASE("a stream that went twice continues from where it was the second time") {
    LastIds ids(2);
    for (const auto& [name, id] : {std::pair<const char*, std::uint64_t>("a", 1), {"b", 1}, {"c", 1}, {"a", 5}})
        ids.remember(name, id);
    CHECK(ids.last_id("a") == 5);
    for (const char* name : {"d", "e"}) ids.remember(name, 1);
    CHECK(ids.last_id("a") >= 5);
}
