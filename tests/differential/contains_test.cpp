// contains, starts-with and ends-with of the CPU backend against the naive one: arbitrary bytes, empty patterns,
// patterns of 1 byte to more than 64 KiB, overlapping patterns, in sets that grow and shrink. SLUICE_TEST_ROUNDS: texts
// to search.
#include <algorithm>
#include <catch2/catch.hpp>
#include <tuple>

#include "gpu/api/matcher.hpp"
#include "tests/support/rounds.hpp"
#include "tests/unit/gpu/operators/substrings/random_exact.hpp"

using namespace sluice;
using substrings::Place;

namespace {

struct Wanted {
    std::string text;
    Place place;
};

engine::Disjunction filter_of(const Wanted& wanted, bool negated) {
    static constexpr engine::Operator operators[] = {engine::Operator::contains, engine::Operator::starts_with,
                                                     engine::Operator::ends_with};
    return {{{"title", operators[static_cast<int>(wanted.place)], wanted.text, 0}}, {{{0, negated}}}};
}

// The two backends, with the same changes.
class Pair {
public:
    void add(const Wanted& wanted, bool negated = false) {
        for (std::size_t b = 0; b < 2; ++b) ids_[b].push_back(sets_[b]->add(filter_of(wanted, negated)));
    }
    void remove(std::size_t i) {
        for (std::size_t b = 0; b < 2; ++b) sets_[b]->remove(ids_[b][i]);
    }
    void compile() {
        for (std::size_t b = 0; b < 2; ++b) programs_[b] = sets_[b]->compile();
    }
    std::size_t size() const { return ids_[0].size(); }

    // Returns the number of matches of events with these values, which both backends must find.
    std::size_t check(const std::vector<std::vector<std::string_view>>& events) const {
        std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> found[2];
        for (std::size_t b = 0; b < 2; ++b) {
            std::vector<std::uint32_t> number_of_slot(size());
            for (std::uint32_t i = 0; i < size(); ++i) number_of_slot[ids_[b][i].slot] = i;  // the latest of a slot
            engine::EventBatch batch;
            for (const auto& values : events) {
                if (!programs_[b]->attributes()->names.empty())
                    for (const std::string_view value : values) batch.values.push_back({0, value, 0});
                batch.end_event();
            }
            std::vector<engine::Match> matches;
            programs_[b]->match(batch, matches);
            for (const engine::Match& m : matches)
                found[b].emplace_back(number_of_slot[m.subscription.slot], m.word, m.accepted);
            std::sort(found[b].begin(), found[b].end());
        }
        REQUIRE(found[0] == found[1]);
        return found[0].size();
    }

private:
    std::unique_ptr<engine::SubscriptionSet> sets_[2] = {engine::make_subscription_set(engine::Backend::naive),
                                                         engine::make_subscription_set(engine::Backend::cpu)};
    std::vector<engine::SubscriptionId> ids_[2];
    std::shared_ptr<const engine::Program> programs_[2];
};

std::size_t check(const std::vector<std::string>& patterns, const std::vector<std::string>& texts) {
    Pair pair;
    for (const std::string& pattern : patterns) {
        for (const Place place : {Place::anywhere, Place::start, Place::end}) {
            pair.add({pattern, place});
            pair.add({pattern, place}, true);
        }
    }
    pair.compile();
    std::vector<std::vector<std::string_view>> events{{}};
    for (const std::string& text : texts) {
        events.push_back({text});
        events.push_back({texts.front(), text});
    }
    return pair.check(events);
}

}  // namespace

TEST_CASE("contains: the CPU backend answers as the naive one does, at the edges") {
    CHECK(check({""}, {"", "a"}) > 0);
    CHECK(check({"", "a", "b"}, {"", "a", "xax", "xx"}) > 0);
    CHECK(check({"he", "she", "his", "hers", "e", "rs", "ush"}, {"ushers", "hishe", "xyz", "hehehe", "h"}) > 0);
    CHECK(check({"ana", "anan", "nana", "a", "aa", "aaa"}, {"banana", "aaaa", "bananana", "n"}) > 0);
    CHECK(check({"caf\xc3\xa9", "\xc3\xa9", "\xa9", std::string("\0", 1), std::string("x\0y", 3), "\xff\xfe", "日本"},
                {"un caf\xc3\xa9 noir", std::string("ax\0yb", 5), "\xff", "a\xff\xfe", std::string(100, '\0'), "日本語",
                 "日x本"}) > 0);
    std::vector<std::string> lengths, texts;
    for (const std::size_t n : {1u, 2u, 3u, 4u, 7u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 127u, 128u, 129u})
        lengths.emplace_back(n, 'a');
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 63u, 64u, 65u, 128u, 2047u, 2048u, 2049u, 5000u})
        texts.push_back(std::string(n, 'a') + "b");
    CHECK(check(lengths, texts) > 0);
}

TEST_CASE("contains: patterns of 64 KiB and more") {
    std::string text;
    for (std::mt19937 random(1); text.size() < 250'000;) text += static_cast<char>('a' + random() % 26);
    const std::size_t most = substrings::pattern_bytes_max;
    CHECK(check({text.substr(1000, most), text.substr(0, most), text.substr(5, most - 1) + "!",
                 text.substr(7, most + 1), text.substr(9, 2 * most), "q", text.substr(100, 20)},
                {text, text.substr(1), text.substr(1000, most), text.substr(0, most - 1), text.substr(9, 2 * most)}) >
          0);
}

TEST_CASE("contains: the CPU backend answers as the naive one does, at random, as the set changes") {
    substrings::RandomExact random(5);
    std::mt19937 choice(6);
    std::size_t found = 0, pairs = 0, searched = 0;
    for (const std::size_t all = substrings::rounds(sluice::testing::fewer_if_sanitized(2000)); searched < all;) {
        const substrings::RandomCase c = random.next(64, searched % 1000 == 0 ? 3000 : 60);
        std::vector<std::vector<std::string_view>> events;
        for (std::size_t t = 0; t < c.views.size();) {
            auto& values = events.emplace_back();
            for (std::size_t n = choice() % 4; n > 0 && t < c.views.size(); --n) values.push_back(c.views[t++]);
        }
        Pair pair;
        pair.compile();
        for (std::size_t p = 0; p < c.owned.size();) {
            for (const std::size_t end = p + 1 + choice() % 40; p < std::min(end, c.owned.size()); ++p)
                pair.add({c.owned[p].first, c.owned[p].second}, choice() % 8 == 0);
            if (choice() % 2 == 0) pair.remove(choice() % pair.size());
            if (choice() % 4 == 0) pair.compile();
        }
        pair.compile();
        found += pair.check(events);
        searched += c.views.size();
        pairs += c.views.size() * c.owned.size();
    }
    CHECK(found > 0);
    if (std::getenv("SLUICE_TEST_ROUNDS") != nullptr) WARN(pairs << " pairs of a pattern and a text");
}
