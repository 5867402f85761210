#include "broker/core/ingest/deduplicator.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>

using sluice::broker::Deduplicator;
using sluice::broker::ItemKey;
using Verdict = sluice::broker::Deduplicator::Verdict;

namespace {

constexpr sluice::feed::RecordTime minute = 60'000'000, hour = 60 * minute;

sluice::feed::RecordTime after(std::uint64_t seconds) {
    return static_cast<sluice::feed::RecordTime>(1'000'000 * seconds);
}

ItemKey key(std::uint64_t identity, std::uint64_t content) { return {{identity, 1}, {content, 2}}; }

}  // namespace

TEST_CASE("an item is new, then unchanged until its content differs") {
    Deduplicator seen(10);
    CHECK(seen.see(key(1, 1)) == Verdict::added);
    CHECK(seen.see(key(1, 1)) == Verdict::unchanged);
    CHECK(seen.see(key(1, 2)) == Verdict::updated);
    CHECK(seen.see(key(1, 2)) == Verdict::unchanged);
    CHECK(seen.see(key(1, 1)) == Verdict::updated);
}

TEST_CASE("of a few items more than there is room for, a few are new again each time") {
    constexpr std::uint64_t n = 1'000;
    Deduplicator seen(n);
    sluice::feed::RecordTime now = hour;
    for (std::uint64_t i = 0; i < n; ++i) seen.see(key(i, 1), now);
    std::size_t added = 0, posts = 0;
    for (; posts < 50; ++posts) {
        now += minute;
        for (std::uint64_t i = 0; i <= n; ++i) added += seen.see(key(i, 1), now) == Verdict::added ? 1u : 0u;
    }
    CHECK(added < 10 * posts);  // if the oldest were forgotten: 1,001 * posts
    CHECK(seen.forgotten() == added);
    CHECK(seen.size() == n);
}

TEST_CASE("items seen lately are rather remembered than old ones") {
    constexpr std::uint64_t n = 1'000;
    Deduplicator seen(n);
    const sluice::feed::RecordTime start = hour;
    for (std::uint64_t i = 0; i < n; ++i) seen.see(key(i, 1), start + after(i));
    for (std::uint64_t i = n; i < n + n / 2; ++i) seen.see(key(i, 1), start + after(i));
    std::size_t old = 0, late = 0;
    for (std::uint64_t i = 0; i < n / 2; ++i) old += seen.remembers(key(i, 1).identity, key(i, 1).content) ? 1u : 0u;
    for (std::uint64_t i = n; i < n + n / 2; ++i)
        late += seen.remembers(key(i, 1).identity, key(i, 1).content) ? 1u : 0u;
    CHECK(late > 400);
    CHECK(old < 250);
}

TEST_CASE("what was not seen for long is forgotten, and its memory given back") {
    sluice::base::MemoryBudget budget(1 << 20);
    Deduplicator seen(10'000, budget.charge(sluice::base::MemoryUse::identities, 100));
    const sluice::feed::RecordTime start = hour;
    for (std::uint64_t i = 0; i < 1'000; ++i) seen.see(key(i, 1), start + after(i));
    CHECK(budget.used(sluice::base::MemoryUse::identities) == 100 + seen.memory_bytes());
    CHECK(seen.memory_bytes() >= 1'000 * sizeof(ItemKey));
    seen.see(key(0, 1), start + after(2'000));
    seen.forget_before(start + after(990));
    CHECK(seen.size() == 11);
    CHECK(seen.memory_bytes() < 50 * sizeof(ItemKey));
    CHECK(budget.used() == 100 + seen.memory_bytes());
    CHECK(seen.see(key(990, 1), start) == Verdict::unchanged);
    CHECK(seen.see(key(0, 1), start) == Verdict::unchanged);
    CHECK(seen.see(key(989, 1), start) == Verdict::added);
    seen.forget_oldest(100);
    CHECK(seen.size() == 0);
    CHECK(seen.see(key(1, 1), start) == Verdict::added);
}

TEST_CASE("without memory for more others make room") {
    sluice::base::MemoryBudget budget(8'000);
    Deduplicator seen(10'000, budget.charge(sluice::base::MemoryUse::identities, 0));
    for (std::uint64_t i = 0; i < 1'000; ++i) CHECK(seen.see(key(i, 1)) == Verdict::added);
    CHECK(seen.size() > 10);
    CHECK(seen.size() < 150);
    CHECK(budget.used() <= 8'000);
    CHECK(seen.see(key(999, 1)) == Verdict::unchanged);
    CHECK(seen.forgotten() == 1'000 - seen.size());

    const sluice::base::MemoryCharge rest = budget.force_charge(sluice::base::MemoryUse::mailboxes, 10'000);
    Deduplicator late(10, budget.force_charge(sluice::base::MemoryUse::identities, 0));
    CHECK(late.see(key(1, 1)) == Verdict::added);
    CHECK(late.see(key(1, 1)) == Verdict::unchanged);
}

TEST_CASE("what was seen can be taken back") {
    Deduplicator seen(10);
    seen.see(key(1, 1));
    sluice::text::Digest previous{};
    CHECK(seen.see(key(1, 2), {}, &previous) == Verdict::updated);
    seen.undo(key(1, 2), Verdict::updated, previous);
    CHECK(seen.see(key(1, 1), {}, &previous) == Verdict::unchanged);
    seen.undo(key(1, 1), Verdict::unchanged, previous);
    CHECK(seen.see(key(2, 1), {}, &previous) == Verdict::added);
    seen.undo(key(2, 1), Verdict::added, previous);
    CHECK(seen.size() == 1);
    CHECK(seen.see(key(2, 1)) == Verdict::added);
    CHECK(seen.see(key(1, 1)) == Verdict::unchanged);
}

TEST_CASE("what is remembered is what was last seen, and as much as there is room for") {
    const std::size_t max = GENERATE(1u, 2u, 7u, 10u);
    std::mt19937 random(static_cast<unsigned>(max));
    Deduplicator seen(max);
    std::map<std::uint64_t, std::uint64_t> last;  // content by identity, of all ever seen
    std::uint64_t added = 0;
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t identity = random() % 10, content = random() % 2;
        const bool is_known = last.contains(identity);
        const Verdict verdict = seen.see(key(identity, content));
        added += verdict == Verdict::added ? 1u : 0u;
        if (verdict != Verdict::added) {
            REQUIRE(is_known);
            REQUIRE((verdict == Verdict::unchanged) == (last[identity] == content));
        }
        last[identity] = content;
        REQUIRE(seen.size() == std::min(max, last.size()));
        REQUIRE(seen.remembers(key(identity, content).identity, key(identity, content).content));
        REQUIRE(seen.size() + seen.forgotten() == added);
    }
    if (max == 10) CHECK(seen.forgotten() == 0);
}

TEST_CASE("Deduplicator: held items → stay beyond the bound, until they are released") {
    Deduplicator seen(4);
    for (std::uint64_t i = 0; i < 20; ++i) {
        seen.see(key(i, 1));
        seen.hold(key(i, 1).identity);
    }
    seen.hold(key(7, 1).identity);
    CHECK(seen.size() == 20);
    CHECK(seen.losses() == 0);
    seen.forget_oldest(5);
    CHECK(seen.size() == 20);
    for (std::uint64_t i = 0; i < 20; ++i) seen.release(key(i, 1).identity);
    for (std::uint64_t i = 100; i < 200; ++i) seen.see(key(i, 1));
    CHECK(seen.size() == 4);
    CHECK(seen.remembers(key(7, 1).identity, key(7, 1).content));
    seen.release(key(7, 1).identity);
    seen.forget_oldest(4);
    CHECK(seen.size() == 0);
}

TEST_CASE("Deduplicator: what a store knows of an item → counts if it isn't remembered") {
    Deduplicator seen(10);
    sluice::text::Digest previous{};
    const Deduplicator::Known one{key(1, 1).content, hour}, two{key(1, 2).content, hour};
    CHECK(seen.see(key(1, 1), 2 * hour, &previous, &one) == Verdict::unchanged);
    CHECK(seen.see(key(1, 1), 2 * hour, &previous, &two) == Verdict::unchanged);
    CHECK(seen.find(key(1, 1).identity)->seen_at == 2 * hour);
    seen.forget_all();
    CHECK_FALSE(seen.find(key(1, 1).identity));
    CHECK(seen.see(key(1, 1), 3 * hour, &previous, &two) == Verdict::updated);
    CHECK(previous == two.content);
    seen.undo(key(1, 1), Verdict::updated, previous);
    CHECK(seen.remembers(key(1, 1).identity, two.content));
}

TEST_CASE(
    "Deduplicator: losses → are told of all items that were seen since a mark, but not of those forgotten by age") {
    Deduplicator seen(2);
    seen.see(key(1, 1), hour);
    seen.see(key(2, 1), 2 * hour);
    const auto mark = seen.mark(2 * hour + 1);
    CHECK(seen.has_lost_none_since(mark));
    seen.forget_before(hour + 1);
    CHECK(seen.losses() == 0);
    seen.forget_oldest(1);
    CHECK(seen.losses() == 1);
    CHECK(seen.has_lost_none_since(mark));
    seen.see(key(3, 1), 3 * hour);
    seen.forget_oldest(1);
    CHECK_FALSE(seen.has_lost_none_since(mark));
    CHECK(seen.has_lost_none_since(seen.mark(3 * hour)));
}
