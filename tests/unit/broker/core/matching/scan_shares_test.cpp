#include "broker/core/matching/scan_shares.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace std::chrono_literals;
using sluice::broker::ScanShares;
using sluice::feed::ScanOwner;

namespace {

// A condition on a separate stream, which is named after its owner.
ScanShares::Key condition_of(const char* stream) { return {nullptr, stream}; }

ScanShares::Owners owner(const ScanOwner& number) {
    return [&number] { return std::span(&number, 1); };
}

constexpr ScanOwner first = 1, second = 2;

// Asks for `condition` every `interval` for a while; returns how many evaluations were allowed.
int allowed(ScanShares& shares, const ScanShares::Key& key, const ScanShares::Owners& owners,
            ScanShares::Clock::time_point& now, int n, ScanShares::Clock::duration interval,
            ScanShares::Clock::duration took, bool decided = true) {
    int count = 0;
    for (int i = 0; i < n; ++i, now += interval) {
        if (!shares.allows(key, owners, now)) continue;
        ++count;
        shares.spend(key, owners, took, decided, now);
    }
    return count;
}

}  // namespace

TEST_CASE("cheap conditions are never held back", "[shares]") {
    ScanShares shares;
    ScanShares::Clock::time_point now{};
    const auto cheap = condition_of("a"), costly = condition_of("b");
    CHECK(allowed(shares, cheap, owner(first), now, 10'000, 500us, 499us) == 10'000);
    allowed(shares, costly, owner(second), now, 1'000, 20ms, 20ms);
    CHECK(allowed(shares, cheap, owner(first), now, 1'000, 500us, 499us) == 1'000);
}

TEST_CASE("costly conditions get their share of the time, and no more", "[shares]") {
    ScanShares shares;
    ScanShares::Clock::time_point now{};
    const auto costly = condition_of("s");
    allowed(shares, costly, owner(first), now, 500, 20ms, 19ms);
    const int later = allowed(shares, costly, owner(first), now, 1'000, 20ms, 19ms);
    CHECK(later > 80);  // of 1,000 that would take 95 % of the time
    CHECK(later < 130);
    now += 1min;
    CHECK(shares.allows(costly, owner(first), now));
}

TEST_CASE("an owner that takes more than the average waits first", "[shares]") {
    ScanShares shares;
    ScanShares::Clock::time_point now{};
    const auto greedy = condition_of("a"), modest = condition_of("b");
    int of_modest = 0;
    for (int i = 0; i < 1'000; ++i, now += 20ms) {
        allowed(shares, greedy, owner(first), now, 1, 0ms, 15ms);
        if (i % 50 == 0) of_modest += allowed(shares, modest, owner(second), now, 1, 0ms, 2ms);
    }
    CHECK(of_modest == 20);
}

TEST_CASE("a subscriber's many conditions have no larger share than another's one", "[shares]") {
    ScanShares shares;
    ScanShares::Clock::time_point now{};
    std::vector<std::string> streams;
    for (int i = 0; i < 50; ++i) streams.push_back("of the first " + std::to_string(i));
    int of_second = 0;
    for (int i = 0; i < 1'000; ++i, now += 20ms) {
        allowed(shares, {nullptr, streams[static_cast<std::size_t>(i) % 50]}, owner(first), now, 1, 0ms, 5ms);
        if (i % 10 == 0) of_second += allowed(shares, condition_of("s"), owner(second), now, 1, 0ms, 10ms);
    }
    CHECK(of_second > 90);  // 50 ms of each second; the first one's conditions would take 250
}

TEST_CASE("several owners share what a condition takes, and one that may ask is enough", "[shares]") {
    ScanShares shares;
    ScanShares::Clock::time_point now{};
    const std::vector<ScanOwner> both = {first, second};
    const ScanShares::Owners owners = [&] { return std::span(both); };
    allowed(shares, condition_of("a"), owner(first), now, 500, 20ms, 19ms);
    CHECK_FALSE(shares.allows(condition_of("a"), owner(first), now));
    CHECK(shares.allows(condition_of("a"), owner(second), now));
    CHECK(shares.allows(condition_of("a"), owners, now));
    shares.spend(condition_of("a"), owners, 10s, true, now);
    CHECK_FALSE(shares.allows(condition_of("a"), owner(first), now));
}

TEST_CASE("a condition that is over its budget again and again is asked ever less often", "[shares]") {
    ScanShares shares;
    ScanShares::Clock::time_point now{};
    const auto over = condition_of("s");
    CHECK(allowed(shares, over, owner(first), now, 60 * 50, 20ms, 20ms, false) == 6);  // after 1, 2, 4 … seconds
    now += 1min;
    CHECK(shares.allows(over, owner(first), now));
    shares.spend(over, owner(first), 2ms, true, now);
    CHECK(shares.allows(over, owner(first), now));
}

TEST_CASE("a condition that could not begin, since others had spent the budget, is not suspended", "[shares]") {
    ScanShares shares;
    ScanShares::Clock::time_point now{};
    CHECK(allowed(shares, condition_of("s"), owner(first), now, 100, 1ms, 2us, false) == 100);
}
