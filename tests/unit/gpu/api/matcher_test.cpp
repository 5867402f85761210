#include "gpu/api/matcher.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <thread>

#include "gpu/operators/work.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/written_filter.hpp"

using namespace sluice;
using namespace sluice::engine;

namespace {

Disjunction equals(const std::string& attribute, const std::string& text) {
    return testing::disjunction_of({{{{attribute, Operator::equal, text, 0}, false}}});
}

std::vector<SubscriptionId> match(const Program& program, const std::string& text, std::size_t events = 1) {
    EventBatch batch;
    for (std::size_t e = 0; e < events; ++e) {
        for (std::uint32_t a = 0; a < program.attributes()->names.size(); ++a) batch.values.push_back({a, text, 0});
        batch.end_event();
    }
    std::vector<Match> matches;
    program.match(batch, matches);
    std::vector<SubscriptionId> ids;
    for (const Match& m : matches) ids.push_back(m.subscription);
    return ids;
}

bool has(const std::vector<SubscriptionId>& ids, SubscriptionId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("subscription set", "", ((Backend backend), backend), Backend::naive, Backend::cpu) {
    const auto set = make_subscription_set(backend);

    SECTION("a program holds what was there when it was compiled") {
        const auto a = set->add(equals("x", "a"));
        const auto before = set->compile();
        const auto b = set->add(equals("x", "a"));
        REQUIRE(set->remove(a));
        const auto after = set->compile();
        CHECK(match(*before, "a") == std::vector{a});
        CHECK(match(*after, "a") == std::vector{b});
        CHECK(match(*after, "b").empty());
    }
    SECTION("a filter with a literal beyond its predicates is refused without changes") {
        const auto kept = set->add(equals("x", "a"));
        Disjunction filter = equals("x", "a");
        filter.conjunctions.push_back({{0, true}, {1, false}});
        CHECK(invalid_reason(filter) == "a literal has the predicate of index 1; there are 1");
        CHECK_THROWS_AS(set->add(filter), std::invalid_argument);
        CHECK_THROWS_AS(set->add({{}, {{{0, false}}}}), std::invalid_argument);
        CHECK(set->size() == 1);
        CHECK(match(*set->compile(), "a") == std::vector{kept});
        filter.predicates.push_back(filter.predicates[0]);  // once more, as the filter compiler does not write it
        CHECK(invalid_reason(filter).empty());
        const auto both = set->add(filter);
        CHECK(match(*set->compile(), "a") == std::vector{kept, both});
    }
    SECTION("slots are dense and reused, stale ids name nobody") {
        const auto a = set->add(equals("x", "a"));
        set->compile();
        REQUIRE(set->remove(a));
        CHECK_FALSE(set->remove(a));
        const auto b = set->add(equals("x", "b"));
        CHECK(b.slot == a.slot);
        CHECK(b.generation != a.generation);
        CHECK_FALSE(set->remove(a));
        CHECK(set->size() == 1);
        CHECK(match(*set->compile(), "a").empty());
        CHECK(match(*set->compile(), "b") == std::vector{b});
        CHECK_FALSE(set->remove({77, 0}));
    }
    SECTION("dictionaries grow, and are the same object while they do not") {
        set->add(equals("x", "a"));
        const auto first = set->compile();
        CHECK(first->attributes()->names == std::vector<std::string>{"x"});
        set->add(equals("x", "b"));
        const auto second = set->compile();
        CHECK(second->attributes() == first->attributes());
        CHECK(second->scanned() == first->scanned());
        set->add(testing::disjunction_of(
            {{{{"y", Operator::exists, {}, 0}, false}, {{"key", Operator::scanned, {}, 0}, false}}}));
        const auto third = set->compile();
        CHECK(third->attributes()->names == std::vector<std::string>{"x", "y"});
        CHECK(third->scanned()->names == std::vector<std::string>{"key"});
        CHECK(third->attributes()->epoch == first->attributes()->epoch);
    }
    SECTION("names that nobody uses any more do not pile up") {
        if (backend == Backend::naive) return;
        const auto kept = set->add(equals("kept", "a"));
        const auto first = set->compile();
        for (int i = 0; i < 6000; ++i) {
            const auto id = set->add(equals("x" + std::to_string(i), "a"));
            if (i % 500 == 0) set->compile();
            set->remove(id);
        }
        // A background thread renews the names.
        auto last = set->compile();
        EVENTUALLY((last = set->compile())->attributes()->names.size() < 4200);
        CHECK(last->attributes()->epoch != first->attributes()->epoch);
        CHECK(match(*last, "a") == std::vector{kept});
    }
    SECTION("an empty set and an empty batch") {
        CHECK(match(*set->compile(), "a").empty());
        set->add(testing::disjunction_of({{}}));
        EventBatch batch;
        std::vector<Match> matches;
        set->compile()->match(batch, matches);
        CHECK(matches.empty());
    }
    SECTION("events beyond the batch's last are never accepted") {
        set->add(testing::disjunction_of({{}}));
        set->add(testing::disjunction_of({{{{"x", Operator::equal, "a", 0}, true}}}));
        EventBatch batch;
        for (int e = 0; e < 33; ++e) batch.end_event();
        std::vector<Match> matches;
        set->compile()->match(batch, matches);
        REQUIRE(matches.size() == 4);
        for (const Match& m : matches) CHECK(m.accepted == (m.word == 0 ? 0xffffffffu : 1u));
    }
    SECTION("scanned predicates are asked only where the cheap literals hold") {
        const testing::WrittenLiteral scanned{{"key", Operator::scanned, {}, 0}, false};
        const auto a = set->add(testing::disjunction_of({{scanned, {{"x", Operator::equal, "a", 0}, false}}}));
        const auto program = set->compile();
        EventBatch batch;
        for (const char* text : {"b", "a", "b", "a"}) {
            batch.values.push_back({0, text, 0});
            batch.end_event();
        }
        std::vector<std::uint32_t> asked;
        batch.scan = [&](std::uint32_t, std::uint32_t event) {
            asked.push_back(event);
            return event == 3;
        };
        std::vector<Match> matches;
        program->match(batch, matches);
        CHECK(matches == std::vector<Match>{{a, 0, 1u << 3}});
        std::sort(asked.begin(), asked.end());
        if (backend == Backend::cpu) CHECK(asked == std::vector<std::uint32_t>{1, 3});
    }
    SECTION("what a scan does not decide is no match, and is told to those who needed it") {
        const auto x_is = [](const char* text) {
            return testing::WrittenLiteral{{"x", Operator::equal, text, 0}, false};
        };
        const testing::WrittenLiteral scanned{{"key", Operator::scanned, {}, 0}, false};
        const testing::WrittenLiteral not_scanned{{"key", Operator::scanned, {}, 0}, true};
        const auto a = set->add(testing::disjunction_of({{x_is("a"), scanned}}));
        const auto a_too = set->add(testing::disjunction_of({{x_is("a"), scanned}}));
        const auto b = set->add(testing::disjunction_of({{x_is("a"), not_scanned}}));
        const auto c = set->add(testing::disjunction_of({{x_is("b"), scanned}}));
        const auto d = set->add(testing::disjunction_of({{not_scanned}}));
        const auto e = set->add(testing::disjunction_of({{x_is("a")}, {x_is("c"), scanned}}));
        const auto removed = set->add(testing::disjunction_of({{scanned}}));
        set->compile();
        set->remove(removed);
        const auto program = set->compile();
        EventBatch batch;
        for (const char* text : {"c", "a", "a"}) {
            batch.values.push_back({0, text, 0});
            batch.end_event();
        }
        batch.scan = [&](std::uint32_t, std::uint32_t event) -> std::optional<bool> {
            return event == 1 ? std::nullopt : std::optional(true);
        };
        const auto sorted = [](std::vector<Match> list) {
            std::sort(list.begin(), list.end(),
                      [](const Match& m, const Match& n) { return m.subscription.slot < n.subscription.slot; });
            return list;
        };
        std::vector<Match> matches, undecided;
        for (const bool is_told : {false, true}) {
            batch.undecided = is_told ? &undecided : nullptr;
            matches.clear();
            program->match(batch, matches);
            CHECK(sorted(matches) == std::vector<Match>{{a, 0, 4}, {a_too, 0, 4}, {e, 0, 7}});
        }
        if (backend == Backend::cpu)
            CHECK(sorted(undecided) == std::vector<Match>{{a, 0, 2}, {a_too, 0, 2}, {b, 0, 2}, {d, 0, 2}});
        const auto told = [&](SubscriptionId id) {
            return std::any_of(undecided.begin(), undecided.end(),
                               [&](const Match& m) { return m.subscription == id; });
        };
        for (const auto id : {a, a_too, b, d}) CHECK(told(id));
        CHECK_FALSE(told(c));
        CHECK_FALSE(told(removed));
    }
    SECTION("a scan that throws leaves nothing behind") {
        const auto a = set->add(equals("x", "a"));
        set->add(testing::disjunction_of(
            {{{{"x", Operator::equal, "b", 0}, false}, {{"key", Operator::scanned, {}, 0}, false}}}));
        const auto program = set->compile();
        EventBatch batch;
        batch.values.push_back({0, "a", 0});
        batch.values.push_back({0, "b", 0});
        batch.end_event();
        batch.scan = [](std::uint32_t, std::uint32_t) -> bool { throw std::runtime_error("scan"); };
        std::vector<Match> matches;
        CHECK_THROWS_AS(program->match(batch, matches), std::runtime_error);
        CHECK(match(*program, "c").empty());
        CHECK(match(*program, "a") == std::vector{a});
    }
    SECTION("the time of operators is counted by family") {
        const auto measured = [](Measure measure) {
            Predicate p{"x", Operator::less_equal, {}, 1};
            p.measure = std::move(measure);
            return testing::WrittenLiteral{p, false};
        };
        const testing::WrittenLiteral distance = measured({Measure::Kind::approx_distance, "kernel", "unit", 0, 0}),
                                      laminarity = measured({Measure::Kind::laminarity, "", "", 0.5, 2}),
                                      score = measured({Measure::Kind::align, "ACGT", "dna", 0, 0});
        set->add(testing::disjunction_of({{distance}}));
        set->add(testing::disjunction_of({{laminarity}}));
        set->add(testing::disjunction_of({{{{"x", Operator::equal, "a", 0}, false}, score}}));
        const auto program = set->compile();
        EventBatch batch;
        for (const char* text : {"a karnel", "1 2 3 3 3 4"}) {
            batch.values.push_back({0, text, 0});
            batch.end_event();
        }
        operators::OperatorWork work;
        batch.work = &work;
        std::vector<Match> matches;
        program->match(batch, matches);
        for (std::size_t f = 0; f < operators::operator_families; ++f) {
            const auto family = static_cast<operators::OperatorFamilyKind>(f);
            const bool used =
                family == operators::OperatorFamilyKind::edits || family == operators::OperatorFamilyKind::recurrence;
            INFO(operators::name_of(family));
            CHECK((work.time_of(family).cpu_ns > 0) == used);
            CHECK(work.time_of(family).device_ns == 0);
        }
    }
    SECTION("thousands, compiled one by one, then removed") {
        std::vector<SubscriptionId> ids;
        for (int i = 0; i < 3000; ++i) {
            ids.push_back(set->add(equals("x", std::to_string(i % 1000))));
            if (i % 3 == 0 && backend == Backend::cpu)
                REQUIRE(has(match(*set->compile(), std::to_string(i % 1000)), ids.back()));
        }
        CHECK(match(*set->compile(), "7").size() == 3);
        for (std::size_t i = 0; i < ids.size(); i += 2) REQUIRE(set->remove(ids[i]));
        const auto program = set->compile();
        CHECK(match(*program, "7", 40).size() == 2 * 3);
        CHECK(match(*program, "8").empty());
        CHECK(set->size() == 1500);
    }
}

TEST_CASE("long names count for many, and go when most subscriptions have gone") {
    const auto set = make_subscription_set(Backend::cpu);
    std::vector<SubscriptionId> ids;
    for (std::size_t i = 0; i < 20; ++i)
        ids.push_back(set->add(equals("x" + std::to_string(i) + std::string(100'000, 'x'), "a")));
    // After a renewal with all of them, their number may double before the next one.
    EVENTUALLY(set->compile()->attributes()->epoch == 1);
    for (std::size_t i = 1; i < ids.size(); ++i) set->remove(ids[i]);
    EVENTUALLY(set->compile()->attributes()->names.size() == 1);
    CHECK(match(*set->compile(), "a") == std::vector{ids.front()});
}

TEST_CASE("names are renewed while subscriptions come and go") {
    const auto set = make_subscription_set(Backend::cpu);
    std::vector<SubscriptionId> ids;
    const auto add = [&](const std::string& name) {
        ids.push_back(set->add(
            testing::disjunction_of({{{{"common", Operator::equal, std::to_string(ids.size() % 100), 0}, false},
                                      {{name, Operator::exists, {}, 0}, false}}})));
    };
    std::vector<SubscriptionId> expected;
    for (std::size_t round = 0; round < 40; ++round) {
        const std::size_t begin = ids.size();
        for (std::size_t i = 0; i < 1000; ++i) add(round % 2 == 0 ? "name" + std::to_string(begin + i) : "common");
        for (std::size_t i = begin; i < ids.size(); ++i) {
            if (round % 2 == 0 || i % 3 == 0)
                REQUIRE(set->remove(ids[i]));
            else if (i % 100 == 7)
                expected.push_back(ids[i]);
        }
        for (int i = 0; i < 3; ++i) {
            const auto program = set->compile();
            auto found = match(*program, "7");
            const auto by_slot = [](SubscriptionId a, SubscriptionId b) { return a.slot < b.slot; };
            std::sort(found.begin(), found.end(), by_slot);
            std::sort(expected.begin(), expected.end(), by_slot);
            REQUIRE(found == expected);
            std::this_thread::yield();
        }
    }
    EVENTUALLY(set->compile()->attributes()->epoch > 0);
}

TEST_CASE("what is removed while segments are being merged stays removed") {
    const auto set = make_subscription_set(Backend::cpu);
    std::vector<SubscriptionId> ids;
    std::size_t expected = 0;
    const auto add = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) ids.push_back(set->add(equals("x", std::to_string(ids.size() % 100))));
        expected += count / 100;
        CHECK(match(*set->compile(), "7").size() == expected);
    };
    add(3500);
    add(7000);  // too many for an inline merge, so a background merge begins here
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i % 2 == 0 || i % 100 == 7) REQUIRE(set->remove(ids[i]));
    }
    // Often enough for the merge, its catching up with the removals, and the time after it.
    for (int i = 0; i < 2'000; ++i) {
        const auto program = set->compile();
        REQUIRE(match(*program, "7").empty());
        REQUIRE(match(*program, "8").empty());
        REQUIRE(match(*program, "9").size() == 105);
        std::this_thread::yield();
    }
}
