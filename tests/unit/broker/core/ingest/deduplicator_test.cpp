#include "broker/core/ingest/deduplicator.hpp"

#include <catch2/catch.hpp>
#include <list>
#include <random>

using sluice::broker::Deduplicator;
using sluice::broker::ItemKey;
using Verdict = sluice::broker::Deduplicator::Verdict;

namespace {

ItemKey key(std::uint64_t identity, std::uint64_t content) { return {{identity, 1}, {content, 2}}; }

// The plain definition, without regard to speed.
class PlainDeduplicator {
public:
    explicit PlainDeduplicator(std::size_t max) : max_(max) {}

    Verdict see(const ItemKey& seen) {
        for (auto i = keys_.begin(); i != keys_.end(); ++i) {
            if (i->identity != seen.identity) continue;
            const Verdict verdict = i->content == seen.content ? Verdict::unchanged : Verdict::updated;
            keys_.erase(i);
            keys_.push_front(seen);
            return verdict;
        }
        keys_.push_front(seen);
        if (keys_.size() > max_) keys_.pop_back();
        return Verdict::added;
    }

private:
    std::size_t max_;
    std::list<ItemKey> keys_;
};

}  // namespace

TEST_CASE("an item is new, then unchanged until its content differs") {
    Deduplicator seen(10);
    CHECK(seen.see(key(1, 1)) == Verdict::added);
    CHECK(seen.see(key(1, 1)) == Verdict::unchanged);
    CHECK(seen.see(key(1, 2)) == Verdict::updated);
    CHECK(seen.see(key(1, 2)) == Verdict::unchanged);
    CHECK(seen.see(key(1, 1)) == Verdict::updated);
}

TEST_CASE("the least recently seen item is forgotten first") {
    Deduplicator seen(2);
    seen.see(key(1, 1));
    seen.see(key(2, 1));
    seen.see(key(1, 1));
    seen.see(key(3, 1));  // forgets 2
    CHECK(seen.size() == 2);
    CHECK(seen.see(key(1, 1)) == Verdict::unchanged);
    CHECK(seen.see(key(2, 1)) == Verdict::added);
}

TEST_CASE("what was not seen for long is forgotten, and its memory given back") {
    using namespace std::chrono_literals;
    sluice::base::MemoryBudget budget(1 << 20);
    Deduplicator seen(10'000, budget.charge(sluice::base::MemoryUse::identities, 100));
    const Deduplicator::Clock::time_point start{1h};
    for (std::uint64_t i = 0; i < 1'000; ++i) seen.see(key(i, 1), start + std::chrono::seconds(i));
    CHECK(budget.used(sluice::base::MemoryUse::identities) == 100 + seen.memory_bytes());
    CHECK(seen.memory_bytes() >= 1'000 * sizeof(ItemKey));
    seen.see(key(0, 1), start + 2'000s);
    seen.forget_before(start + 990s);
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

TEST_CASE("without memory for more the oldest make room") {
    sluice::base::MemoryBudget budget(8'000);
    Deduplicator seen(10'000, budget.charge(sluice::base::MemoryUse::identities, 0));
    for (std::uint64_t i = 0; i < 1'000; ++i) CHECK(seen.see(key(i, 1)) == Verdict::added);
    CHECK(seen.size() > 10);
    CHECK(seen.size() < 150);
    CHECK(budget.used() <= 8'000);
    CHECK(seen.see(key(999, 1)) == Verdict::unchanged);
    CHECK(seen.see(key(0, 1)) == Verdict::added);

    const sluice::base::MemoryCharge rest = budget.force_charge(sluice::base::MemoryUse::mailboxes, 10'000);
    Deduplicator late(10, budget.force_charge(sluice::base::MemoryUse::identities, 0));
    CHECK(late.see(key(1, 1)) == Verdict::added);
    CHECK(late.see(key(1, 1)) == Verdict::unchanged);
}

TEST_CASE("what was seen can be taken back") {
    Deduplicator seen(10);
    seen.see(key(1, 1));
    sluice::base::Digest previous{};
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

TEST_CASE("the bounded memory equals its definition") {
    const std::size_t max = GENERATE(1u, 2u, 7u);
    std::mt19937 random(static_cast<unsigned>(max));
    Deduplicator seen(max);
    PlainDeduplicator plain(max);
    for (int i = 0; i < 20'000; ++i) {
        const ItemKey next = key(random() % 10, random() % 2);
        REQUIRE(seen.see(next) == plain.see(next));
    }
}
