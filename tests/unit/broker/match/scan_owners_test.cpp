#include "broker/match/scan_owners.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

using sluice::broker::ScanOwners;
using sluice::feed::ScanOwner;

namespace {

std::vector<ScanOwner> owners_of(const ScanOwners& owners, const std::string& condition) {
    std::vector<ScanOwner> found = {99};
    owners.find(condition, found);
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

TEST_CASE("computed conditions have the same key if they are equal") {
    using sluice::broker::computed_key;
    using sluice::engine::Measure;
    const Measure measure{Measure::Kind::laminarity, "x", "unit", 0.5, 2};
    const std::string key = computed_key("a", measure, {0, 1, false});
    CHECK(computed_key("a", measure, {-0.0, 1, false}) == key);
    CHECK(computed_key("ab", measure, {0, 1, false}) != key);
    CHECK(computed_key("a", measure, {0, 1, true}) != key);
    CHECK(computed_key("a", measure, {0, 1.5, false}) != key);
    for (const Measure& other : {Measure{Measure::Kind::determinism, "x", "unit", 0.5, 2},
                                 Measure{Measure::Kind::laminarity, "y", "unit", 0.5, 2},
                                 Measure{Measure::Kind::laminarity, "tx", "uni", 0.5, 2},
                                 Measure{Measure::Kind::laminarity, "x", "unit", 0.25, 2},
                                 Measure{Measure::Kind::laminarity, "x", "unit", 0.5, 3}})
        CHECK(computed_key("a", other, {0, 1, false}) != key);
}

TEST_CASE("a condition has the owners whose filters have it, as often as they do") {
    ScanOwners owners;
    CHECK(owners_of(owners, "a").empty());
    owners.add("a", 1);
    owners.add("a", 1);
    owners.add("a", 2);
    owners.add("b", 2);
    CHECK(owners.owners() == 2);
    CHECK(owners_of(owners, "a") == std::vector<ScanOwner>{1, 2});
    CHECK(owners_of(owners, "b") == std::vector<ScanOwner>{2});
    owners.remove("a", 1);
    CHECK(owners_of(owners, "a") == std::vector<ScanOwner>{1, 2});
    owners.remove("a", 1);
    CHECK(owners_of(owners, "a") == std::vector<ScanOwner>{2});
    owners.remove("a", 2);
    CHECK(owners.conditions() == 1);
    CHECK(owners.owners() == 1);
    owners.remove("a", 2);  // has none
    owners.remove("b", 3);
    CHECK(owners_of(owners, "b") == std::vector<ScanOwner>{2});
}

TEST_CASE("a condition with very many owners is its own") {
    ScanOwners owners;
    for (ScanOwner owner = 1; owner <= ScanOwners::owners_max; ++owner) owners.add("a", owner);
    CHECK(owners_of(owners, "a").size() == ScanOwners::owners_max);
    owners.add("a", 1'000);
    const auto itself = owners_of(owners, "a");
    REQUIRE(itself.size() == 1);
    CHECK(itself.front() >= ScanOwner{1} << 63);
    owners.remove("a", 1'000);
    CHECK(owners_of(owners, "a").size() == ScanOwners::owners_max);
}

TEST_CASE("the version tells whether a condition's owners have changed") {
    ScanOwners owners;
    std::uint64_t last = owners.version();
    const auto changed = [&] {
        const std::uint64_t before = std::exchange(last, owners.version());
        return before != last;
    };
    owners.add("a", 1);
    CHECK(changed());
    owners.add("a", 1);
    CHECK_FALSE(changed());
    owners.add("a", 2);
    CHECK(changed());
    owners.remove("a", 1);
    owners.remove("b", 1);
    CHECK_FALSE(changed());
    owners.remove("a", 1);
    CHECK(changed());
    CHECK_FALSE(changed());
}
