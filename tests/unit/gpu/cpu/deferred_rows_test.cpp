#include "gpu/cpu/segment/deferred_rows.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>

#include "gpu/api/matcher.hpp"
#include "gpu/operators/family.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/written_filter.hpp"

using namespace sluice;
using namespace sluice::cpu;
using Kind = engine::Measure::Kind;

namespace {

testing::WrittenLiteral equal(std::string attribute, std::string text) {
    return {{std::move(attribute), engine::Operator::equal, std::move(text), 0}, false};
}
testing::WrittenLiteral within(std::string attribute, std::string pattern, double k,
                               Kind kind = Kind::approx_distance) {
    return {{std::move(attribute),
             engine::Operator::less_equal,
             {},
             k,
             engine::Measure{kind, std::move(pattern), "unit", 0, 0}},
            false};
}
testing::WrittenLiteral negated(testing::WrittenLiteral literal) {
    literal.negated = true;
    return literal;
}

// Events with one category each and titles; a cpu program's answers for them, and its work.
struct Trial {
    std::unique_ptr<engine::SubscriptionSet> set = engine::make_subscription_set(engine::Backend::cpu);
    engine::EventBatch batch;
    operators::OperatorWork work;
    std::vector<engine::Match> matches;

    void run(const std::vector<std::pair<std::string, std::vector<std::string>>>& events) {
        const auto program = set->compile();
        const auto& names = program->attributes()->names;
        const auto id = [&](const char* name) {
            return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), name) - names.begin());
        };
        batch.clear();
        for (const auto& [category, titles] : events) {
            std::vector<engine::Value> values{{id("category"), category, 0}};
            for (const std::string& title : titles) values.push_back({id("title"), title, 0});
            std::stable_sort(values.begin(), values.end(),
                             [](const engine::Value& a, const engine::Value& b) { return a.attribute < b.attribute; });
            batch.values.insert(batch.values.end(), values.begin(), values.end());
            batch.end_event();
        }
        batch.work = &work;
        work = {};
        matches.clear();
        program->match(batch, matches);
    }
    const operators::OperatorWork::Kind& done(Kind kind = Kind::approx_distance) const { return work.of(kind); }
    std::uint32_t accepted(engine::SubscriptionId id) const {
        for (const engine::Match& m : matches) {
            if (m.subscription == id) return m.accepted;
        }
        return 0;
    }
};

}  // namespace

TEST_CASE("operators see only the events that nothing cheaper has decided") {
    Trial trial;
    const auto a = trial.set->add(testing::disjunction_of({{equal("category", "x"), within("title", "kernel", 1)}}));
    const auto b = trial.set->add(testing::disjunction_of({{equal("category", "y"), within("title", "kernel", 1)}}));
    const auto c = trial.set->add(testing::disjunction_of({{equal("category", "z"), within("title", "kernel", 1)}}));
    std::vector<std::pair<std::string, std::vector<std::string>>> events(32, {"w", {"a kernel"}});
    events[3] = {"x", {"the kermel"}};
    events[5] = {"x", {"the karmel"}};
    events[7] = {"y", {"a colonel", "a kernel"}};
    trial.run(events);
    CHECK(trial.accepted(a) == 1u << 3);
    CHECK(trial.accepted(b) == 1u << 7);
    CHECK(trial.accepted(c) == 0);
    CHECK(trial.done().pairs == 4);
    CHECK(trial.done().holds == 2);
}

TEST_CASE("DeferredRows: the time of a family is counted for batches that need it") {
    Trial trial;
    trial.set->add(testing::disjunction_of({{equal("category", "x"), within("title", "kernel", 1)}}));
    trial.run({{"w", {"a kernel"}}});
    const operators::OperatorWork::Time& time = trial.work.time_of(operators::OperatorFamilyKind::edits);
    CHECK(time.cpu_ns == 0);
    trial.run({{"x", {"a kernel"}}});
    CHECK(time.cpu_ns > 0);
    const operators::OperatorWork once = trial.work;
    trial.work += once;
    CHECK(time.cpu_ns == 2 * once.time_of(operators::OperatorFamilyKind::edits).cpu_ns);
    CHECK(time.device_ns == 0);
}

TEST_CASE("a predicate of many conjunctions is decided once for an event") {
    Trial trial;
    std::vector<engine::SubscriptionId> ids;
    for (int i = 0; i < 100; ++i)
        ids.push_back(trial.set->add(
            testing::disjunction_of({{equal("category", std::to_string(i % 2)), within("title", "abc", 0)},
                                     {negated(within("title", "abc", 0)), equal("category", std::to_string(i))}})));
    trial.run({{"0", {"xabcx"}}, {"1", {"xabdx"}}, {"7", {"y"}}, {"0", {}}});
    CHECK(trial.done().pairs == 3);
    CHECK(trial.accepted(ids[0]) == 0b1001);  // the last event has no title, so none is within k
    CHECK(trial.accepted(ids[1]) == 0b0010);
    CHECK(trial.accepted(ids[2]) == 0b0001);
    CHECK(trial.accepted(ids[7]) == 0b0100);
}

TEST_CASE("pairs that a cheap family decides are not asked of a costly one") {
    if (!engine::invalid_reason({Kind::matches, "a", "", 0, 0}).empty()) {
        sluice::testing::skip("there are no regular expressions in this build");
        return;
    }
    Trial trial;
    const testing::WrittenLiteral regex{
        {"title", engine::Operator::number_not_equal, {}, 0, engine::Measure{Kind::matches, "^a", "", 0, 0}}, false};
    const auto both = trial.set->add(testing::disjunction_of({{within("title", "bc", 0, Kind::edit_distance), regex}}));
    const auto alone = trial.set->add(testing::disjunction_of({{regex}}));
    trial.run({{"x", {"abc"}}, {"x", {"bc"}}, {"x", {"a", "bc"}}, {"x", {}}});
    CHECK(trial.done(Kind::matches).pairs == 4);
    CHECK(trial.done(Kind::edit_distance).pairs == 3);
    CHECK(trial.accepted(both) == 0b100);
    CHECK(trial.accepted(alone) == 0b101);
}

TEST_CASE("a filter of operators alone works, and events without the attribute cost nothing") {
    Trial trial;
    const auto is = trial.set->add(testing::disjunction_of({{within("title", "abc", 1)}}));
    const auto is_not = trial.set->add(testing::disjunction_of({{negated(within("title", "abc", 1))}}));
    trial.run({{"x", {"abd"}}, {"x", {"xyz"}}, {"x", {}}});
    CHECK(trial.accepted(is) == 0b001);
    CHECK(trial.accepted(is_not) == 0b110);
    CHECK(trial.done().pairs == 2);
}

TEST_CASE("pairs that an operator would take too long for are left out, and reported") {
    Trial trial;
    std::vector<engine::Match> undecided;
    trial.batch.undecided = &undecided;
    trial.batch.operator_ns_max = 10'000;
    const auto a = trial.set->add(testing::disjunction_of({{equal("category", "x"), within("title", "kernel", 1)}}));
    const auto b =
        trial.set->add(testing::disjunction_of({{equal("category", "x"), negated(within("title", "kernel", 1))}}));
    const auto c = trial.set->add(testing::disjunction_of({{equal("category", "y"), within("title", "kernel", 1)}}));
    const std::string long_title(20'000, 'z');
    trial.run({{"x", {"a kernel"}}, {"x", {long_title}}, {"x", {long_title, "a kernel"}}, {"x", {"other"}}});
    CHECK(trial.accepted(a) == 0b0101);
    CHECK(trial.accepted(b) == 0b1000);
    CHECK(undecided.size() == 2);
    for (const engine::Match& m : undecided) CHECK(m.accepted == 0b0010);
    CHECK(
        std::none_of(undecided.begin(), undecided.end(), [&](const engine::Match& m) { return m.subscription == c; }));
    CHECK(trial.done().pairs == 3);
}

TEST_CASE("where all operators of an event would take too long, the costliest is left out") {
    Trial trial;
    std::vector<engine::Match> undecided;
    trial.batch.undecided = &undecided;
    const auto cheap = trial.set->add(testing::disjunction_of({{within("title", "abc", 1)}}));
    const auto costly = trial.set->add(testing::disjunction_of({{within("title", std::string(2000, 'q'), 1)}}));
    const auto also_dear =
        trial.set->add(testing::disjunction_of({{negated(within("title", std::string(3000, 'q'), 1))}}));
    trial.batch.event_ns_max = 50'000;
    trial.run({{"x", {std::string(4'000, 'a') + "abc"}}, {"x", {"abc"}}});
    CHECK(trial.accepted(cheap) == 0b11);
    CHECK(trial.accepted(costly) == 0b00);
    CHECK(trial.accepted(also_dear) == 0b10);
    REQUIRE(undecided.size() == 2);
    for (const engine::Match& m : undecided) CHECK(m.accepted == 0b01);
    CHECK(trial.done().pairs == 4);
}

namespace {

// Holds for every text. The estimate for a title of 10,000 bytes and a pattern of 64 is 30 us.
testing::WrittenLiteral any_distance(const std::string& pattern) {
    return {{"title",
             engine::Operator::greater_equal,
             {},
             0,
             engine::Measure{Kind::approx_distance, pattern, "unit", 0, 0}},
            false};
}

std::string pattern(std::size_t letters, std::size_t number) {
    std::string text = std::to_string(number);
    return text + std::string(letters - text.size(), 'q');
}

}  // namespace

TEST_CASE("where all operators of an event would take too long, each owner has a share of the time") {
    Trial trial;
    std::vector<engine::Match> undecided;
    trial.batch.undecided = &undecided;
    trial.batch.event_ns_max = 2'000'000;
    std::vector<engine::SubscriptionId> of_greedy;
    for (std::size_t i = 0; i < 500; ++i)
        of_greedy.push_back(trial.set->add(testing::disjunction_of({{any_distance(pattern(64, i))}})));
    const auto of_modest = trial.set->add(testing::disjunction_of({{any_distance(pattern(640, 0))}}));
    const std::string title(10'000, 'a');
    const auto decided_of_greedy = [&] {
        return std::count_if(of_greedy.begin(), of_greedy.end(),
                             [&](engine::SubscriptionId id) { return trial.accepted(id) == 1; });
    };
    const auto run = [&] {
        undecided.clear();
        trial.run({{"x", {title}}});
        CHECK(trial.matches.size() + undecided.size() == 501);
    };
    SECTION("without owners, the cheapest are decided") {
        run();
        CHECK(trial.accepted(of_modest) == 0);
        CHECK(decided_of_greedy() == 66);
    }
    SECTION("an owner whose operators cost less than a share is served, and the others have the rest") {
        trial.batch.owners_of = [](std::uint32_t, const engine::Measure& measure, const operators::Bounds&,
                                   std::vector<std::uint64_t>& owners) {
            owners.assign(1, measure.operand.size() == 64 ? 1 : 2);
        };
        run();
        CHECK(trial.accepted(of_modest) == 1);
        CHECK(decided_of_greedy() == (2'000 - 165) / 30);
    }
    SECTION("an operator of both owners is charged to both") {
        trial.batch.owners_of = [](std::uint32_t, const engine::Measure& measure, const operators::Bounds&,
                                   std::vector<std::uint64_t>& owners) {
            owners = measure.operand.size() == 64 ? std::vector<std::uint64_t>{1, 2} : std::vector<std::uint64_t>{2};
        };
        run();
        CHECK(trial.accepted(of_modest) == 0);
        CHECK(decided_of_greedy() == 66);
    }
    SECTION("owners are not asked for where everything fits") {
        trial.batch.event_ns_max = 1e9;
        trial.batch.owners_of = [](std::uint32_t, const engine::Measure&, const operators::Bounds&,
                                   std::vector<std::uint64_t>&) { FAIL("asked"); };
        run();
        CHECK(undecided.empty());
    }
}

TEST_CASE("which operators of an event are left out does not depend on the events beside it") {
    std::mt19937 random(17);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    for (int round = 0; round < 40; ++round) {
        CAPTURE(round);
        Trial trial;
        std::vector<engine::Match> undecided;
        trial.batch.undecided = &undecided;
        trial.batch.event_ns_max = 20'000 * static_cast<double>(1 + below(20));
        trial.batch.owners_of = [](std::uint32_t, const engine::Measure& measure, const operators::Bounds& bounds,
                                   std::vector<std::uint64_t>& owners) {
            owners.clear();
            const std::size_t n = measure.operand.size() + static_cast<std::size_t>(100 * bounds.lo) +
                                  static_cast<std::size_t>(10 * measure.epsilon);
            for (std::size_t i = 0; i < n % 4; ++i) owners.push_back(n * (i + 3) % 5);
        };
        for (std::size_t i = 0; i < 80; ++i) {
            testing::WrittenLiteral literal = any_distance(pattern(20 + below(200), i));
            if (i % 2 == 0) {  // in computations with several bounds, all of the same cost
                const engine::Measure measure{Kind::laminarity, "", "", 0.1 * static_cast<double>(below(10)), 2};
                literal = {
                    {"title", engine::Operator::greater_equal, {}, 0.01 * static_cast<double>(below(20)), measure},
                    false};
            }
            trial.set->add(testing::disjunction_of({{equal("category", std::to_string(below(4))), literal}}));
        }
        std::vector<std::pair<std::string, std::vector<std::string>>> events;
        for (int e = 0; e < 40; ++e) {
            std::vector<std::string> titles(below(4));
            for (std::string& title : titles)
                for (std::size_t i = below(400); i > 0; --i) title += std::to_string(below(3)) + ' ';
            events.emplace_back(std::to_string(below(4)), titles);
        }
        // (subscription, event, whether it is accepted or else undecided), ascending
        using Answers = std::vector<std::tuple<std::uint32_t, std::size_t, bool>>;
        const auto answers = [&](std::size_t batch_events) {
            Answers found;
            for (std::size_t first = 0; first < events.size(); first += batch_events) {
                undecided.clear();
                trial.run(
                    {events.begin() + static_cast<std::ptrdiff_t>(first),
                     events.begin() + static_cast<std::ptrdiff_t>(std::min(first + batch_events, events.size()))});
                for (const bool accepted : {true, false}) {
                    for (const engine::Match& m : accepted ? trial.matches : undecided)
                        for (std::size_t bit = 0; bit < 32; ++bit)
                            if ((m.accepted >> bit & 1) != 0)
                                found.emplace_back(m.subscription.slot, first + 32 * m.word + bit, accepted);
                }
            }
            std::sort(found.begin(), found.end());
            found.erase(std::unique(found.begin(), found.end()), found.end());
            return found;
        };
        const Answers together = answers(40);
        CHECK(!together.empty());
        for (const std::size_t batch_events : {1u, 7u, 33u}) CHECK((answers(batch_events) == together));
    }
}

TEST_CASE("long work of operators can be ended between its pieces") {
    Trial trial;
    for (int i = 0; i < 100; ++i)
        trial.set->add(testing::disjunction_of({{within("title", std::string(4000, 'a') + std::to_string(i), 1)}}));
    int pauses = 0;
    trial.batch.pause = [&](double) {
        if (++pauses == 2) throw std::runtime_error("enough");
    };
    const std::string title(400'000, 'b');
    CHECK_THROWS_AS(trial.run({{"x", {title}}}), std::runtime_error);
    CHECK(pauses == 2);
    trial.run({{"x", {"short"}}});
    CHECK(trial.matches.empty());
}

TEST_CASE("what is computed once for many bounds counts once, and is asked at once") {
    Trial trial;
    for (int i = 0; i < 2'000; ++i) {
        const engine::Measure laminarity{Kind::laminarity, "", "", 0.5, 2};
        trial.set->add(
            testing::disjunction_of({{{{"title", engine::Operator::greater, {}, 0.0001 * i, laminarity}, false}}}));
    }
    int pauses = 0;
    trial.batch.pause = [&](double ns) { pauses += ns > 1e9; };
    std::string series;
    for (int i = 0; i < 8'000; ++i) series += i % 3 == 0 ? "1 " : "2.5 ";
    trial.run({{"x", {series}}});
    CHECK(trial.done(Kind::laminarity).pairs == 2'000);
    CHECK(pauses == 0);
}
