#include "broker/ingest/deduplicator.hpp"

#include <catch2/catch.hpp>
#include <list>
#include <random>

using sluice::Deduplicator;
using sluice::ItemKey;
using Verdict = sluice::Deduplicator::Verdict;

namespace {

ItemKey key(std::uint64_t identity, std::uint64_t content) { return {{identity, 1}, {content, 2}}; }

// The definition, as slow as it is plain.
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
