#include "broker/match/batch_values.hpp"

#include <catch2/catch.hpp>

#include "broker/match/batch_matcher.hpp"
#include "protocol/filter/filter.hpp"
#include "tests/unit/broker/support.hpp"

namespace sluice::broker {

namespace {

std::vector<std::string> texts_in(const engine::ValueGroup& values) {
    std::vector<std::string> texts;
    for (const engine::Value& value : values.values) texts.emplace_back(value.text);
    return texts;
}

std::shared_ptr<const engine::Program> program_of(const std::string& filter) {
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    set->add(filter::compile_filter(filter)->disjunction);
    return set->compile();
}

std::vector<feed::Event> events_of(const std::vector<std::string>& items) {
    const auto parsed = document(items);
    const auto stream = std::make_shared<const std::string>("s");
    std::vector<feed::Event> events;
    for (std::size_t i = 0; i < items.size(); ++i) events.push_back({parsed, i, stream, i + 1});
    return events;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a batch's values are those that matching has read, or are read again, and are the same") {
    const auto events = events_of({"<a>1</a><b>x</b><a>2</a>", "<b>y</b>"});
    const auto program = program_of("(a = 1 or b = 'y') and ../item/a = 2 and c = 3 or b = 'x'");
    BatchMatcher matcher;
    matcher.match(*program, events);
    const bool is_matched = GENERATE(true, false);
    BatchValues values(is_matched ? matcher.values() : MatchedValues());
    CHECK(texts_in(values.of(events[0], 0, "a")) == Texts{"1", "2"});
    CHECK(texts_in(values.of(events[0], 0, "b")) == Texts{"x"});
    CHECK(texts_in(values.of(events[1], 1, "b")) == Texts{"y"});
    CHECK(values.of(events[1], 1, "a").values.empty());
    CHECK(values.of(events[1], 1, "c").values.empty());
    CHECK(values.of(events[0], 0, "a").id == 0);
    const engine::ValueGroup shared = values.of(events[0], 0, "../item/a");
    CHECK(texts_in(shared) == Texts{"1", "2"});
    CHECK(shared.id != 0);
    CHECK(shared.events == 2);
    CHECK(values.of(events[1], 1, "../item/a").id == shared.id);
    CHECK((shared.id == matcher.values().batch->groups.at(0).id) == is_matched);
    SECTION("of an attribute that the program lacks") {
        CHECK(texts_in(values.of(events[0], 0, "../item/b")) == Texts{"x", "y"});
    }
    SECTION("of other events than those matched") {
        const auto others = events_of({"<a>7</a>", "<a>8</a>", "<a>9</a>"});
        for (std::size_t e = 0; e < others.size(); ++e)
            CHECK(texts_in(values.of(others[e], e, "a")) == Texts{std::to_string(7 + e)});
    }
}

TEST_CASE("values that matching left unread are not read again") {
    std::string many = "<a>";
    for (int i = 0; i < 4'000; ++i) many += "<b k='1'/>";
    const auto events = events_of({many + "</a>"});
    const auto program = program_of("*/b/@k = 'q'");
    BatchLimits limits;
    limits.scan.condition_steps_max = 1'000;
    BatchMatcher matcher(limits);
    matcher.match(*program, events);
    REQUIRE(matcher.undecided().size() == 1);
    const std::string& attribute = program->attributes()->names.at(0);
    CHECK(BatchValues(matcher.values()).of(events[0], 0, attribute).values.empty());
    CHECK(BatchValues().of(events[0], 0, attribute).values.size() == 4'000);
}

TEST_CASE("a matcher has the values of its last batch until it rests, or fails") {
    const auto events = events_of({"<a>1</a>"});
    const auto program = program_of("a = 1");
    bool fails = false;
    BatchMatcher matcher({}, [&](double) {
        if (fails) throw std::runtime_error("stop");
    });
    CHECK(matcher.values().events.empty());
    matcher.match(*program, events);
    CHECK(matcher.values().events.data() == events.data());
    SECTION("rests") { matcher.rest(); }
    SECTION("fails") {
        fails = true;
        CHECK_THROWS(matcher.match(*program_of("../item/a = 1"), events_of({"<a>1</a>", "<a>2</a>"})));
    }
    CHECK(matcher.values().events.empty());
}

TEST_CASE("an attribute's number is found as the dictionary grows, and after it has begun anew") {
    AttributeNumbers numbers;
    engine::Dictionary dictionary{1, {"a", "b"}, {}};
    CHECK(numbers.find(dictionary, "b") == 1u);
    CHECK_FALSE(numbers.find(dictionary, "c"));
    dictionary.names = {"a", "b", "d", "c"};
    CHECK(numbers.find(dictionary, "b") == 1u);
    CHECK(numbers.find(dictionary, "c") == 3u);
    CHECK(numbers.find(dictionary, "c") == 3u);
    CHECK(numbers.find({2, {"c", "b"}, {}}, "c") == 0u);
    CHECK(numbers.find({2, {"c", "b"}, {}}, "b") == 1u);
}

}  // namespace sluice::broker
