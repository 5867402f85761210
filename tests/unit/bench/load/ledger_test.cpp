#include "tests/bench/load/ledger.hpp"

#include <catch2/catch.hpp>

using namespace sluice::load;
using namespace std::chrono_literals;

namespace {

Receivers receivers(std::initializer_list<std::size_t> connections) { return connections; }

}  // namespace

TEST_CASE("every delivery is checked off once, and only where it was expected") {
    const Clock::time_point start{};
    Ledger ledger;
    ledger.published(7, start, receivers({1, 2}));
    ledger.published(8, start + 1ms, receivers({}));
    ledger.published(9, start + 2ms, receivers({127}));
    CHECK(ledger.expected() == 3);

    ledger.received(9, 127, start + 5ms);
    ledger.received(7, 1, start + 10ms);
    CHECK(ledger.outstanding() == 1);
    CHECK(ledger.unexpected() == 0);

    ledger.received(7, 1, start + 11ms);    // repeated
    ledger.received(8, 1, start + 11ms);    // wanted by nobody
    ledger.received(6, 1, start + 11ms);    // before the first
    ledger.received(10, 1, start + 11ms);   // after the last
    ledger.received(9, 127, start + 11ms);  // repeated
    CHECK(ledger.unexpected() == 5);
    CHECK(ledger.outstanding() == 1);

    ledger.received(7, 2, start + 20ms);
    CHECK(ledger.outstanding() == 0);
    CHECK(ledger.received() == 3);
    CHECK(ledger.latencies().quantile_us(0) == 3'000);
    CHECK(ledger.latencies().quantile_us(0.5) == 10'000);
    CHECK(ledger.latencies().quantile_us(1) == 20'000);
}

TEST_CASE("what the broker refused is expected by nobody") {
    Ledger ledger;
    ledger.published(1, {}, receivers({3, 4}));
    ledger.received(1, 3, {});
    ledger.refused(1);
    CHECK(ledger.outstanding() == 0);
    ledger.received(1, 4, {});
    CHECK(ledger.unexpected() == 1);
}

TEST_CASE("no samples have no quantiles") { CHECK(Latencies().quantile_us(0.99) == 0); }
