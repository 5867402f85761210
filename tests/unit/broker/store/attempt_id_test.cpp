#include "broker/store/attempt_id.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace sluice::store;

TEST_CASE("AttemptId: random ones → each differs") {
    std::set<AttemptId> ids;
    for (int i = 0; i < 1'000; ++i) ids.insert(random_attempt_id());
    CHECK(ids.size() == 1'000);
}
