#include "gpu/operators/exact/pattern_set.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/gpu/operators/exact/random_exact.hpp"

using namespace sluice::exact;

namespace {

std::vector<Hit> hits_of(const PatternSet& set, const std::vector<std::string_view>& texts) {
    Results results;
    set.search(texts, results);
    std::sort(results.hits.begin(), results.hits.end());
    CHECK(results.counters.hits == results.hits.size());
    CHECK(results.counters.texts == texts.size());
    return results.hits;
}

}  // namespace

TEST_CASE("a pattern set finds what was added and not removed, whatever its parts") {
    RandomExact random(3);
    std::mt19937 choice(4);
    for (std::size_t searched = 0; searched < rounds(300); searched += 16) {
        const RandomCase c = random.next(16, 60);
        PatternSet set;
        std::vector<bool> live(c.patterns.size());
        for (std::uint32_t p = 0; p < c.patterns.size();) {
            std::vector<IdentifiedPattern> some;
            for (const std::size_t end = p + 1 + choice() % 9; p < std::min(end, c.patterns.size()); ++p) {
                some.push_back({p, c.owned[p].first, c.owned[p].second});
                live[p] = true;
            }
            set = set.added(std::move(some));
            const std::uint32_t gone = static_cast<std::uint32_t>(choice() % c.patterns.size());
            if (live[gone]) {
                set = set.removed(std::vector<std::uint32_t>{gone});
                live[gone] = false;
            }
            if (choice() % 3 == 0) set = set.merged();
        }
        auto expected = hits_of(*make_naive_searcher(c.patterns), c.views);
        expected.erase(std::remove_if(expected.begin(), expected.end(), [&](Hit h) { return !live[h.pattern]; }),
                       expected.end());
        CHECK(hits_of(set, c.views) == expected);
        CHECK(set.size() == static_cast<std::size_t>(std::count(live.begin(), live.end(), true)));
    }
}

TEST_CASE("a pattern set keeps a large part while a few patterns come, and merges parts of like size") {
    std::vector<IdentifiedPattern> many;
    for (std::uint32_t p = 0; p < 3000; ++p) many.push_back({p, "pattern " + std::to_string(p), Place::anywhere});
    PatternSet set = PatternSet().added(many);
    CHECK(set.parts() == 1);
    for (std::uint32_t p = 3000; p < 3400; p += 10) {
        std::vector<IdentifiedPattern> few;
        for (std::uint32_t i = p; i < p + 10; ++i) few.push_back({i, "pattern " + std::to_string(i), Place::anywhere});
        set = set.added(few);
    }
    CHECK(set.parts() == 3);
    CHECK(set.merge_due());
    set = set.merged();
    CHECK(set.parts() == 2);
    CHECK_FALSE(set.merge_due());
    std::vector<std::uint32_t> gone(2000);
    for (std::uint32_t i = 0; i < 2000; ++i) gone[i] = i;
    set = set.removed(gone);
    CHECK(set.merge_due());
    set = set.merged();
    CHECK(set.parts() == 1);
    CHECK(set.size() == 1400);
    CHECK(hits_of(set, {"pattern 10 pattern 3399"}).size() == 1);
}
