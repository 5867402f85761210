#include "broker/core/replay/past_matches.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "broker/store/memory_log.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "protocol/feed/record/record_item.hpp"
#include "tests/unit/broker/core/replay/damaged_log.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

// What the tests know of an event.
struct Known {
    std::uint64_t id;
    std::string stream;
    feed::RecordTime time;
    int title;
    std::string category;
    std::size_t before;  // items before it in its document
    bool is_alone;
};

// A filter, and what it means. Without a meaning it looks at siblings.
struct Meant {
    std::string text;
    std::function<bool(const Known&)> holds;
};

Meant random_filter(std::mt19937& random, int depth = 2) {
    const int kind = static_cast<int>(random() % (depth == 0 ? 3 : 6));
    const int n = static_cast<int>(random() % 100);
    if (kind == 0) {
        const std::string category(1, static_cast<char>('a' + n % 4));
        return {"category = '" + category + "'", [=](const Known& known) { return known.category == category; }};
    }
    if (kind == 1) return {"title < " + std::to_string(n), [=](const Known& known) { return known.title < n; }};
    if (kind == 2) {
        const std::string digit = std::to_string(n % 10);
        return {"contains(title, '" + digit + "')",
                [=](const Known& known) { return std::to_string(known.title).find(digit) != std::string::npos; }};
    }
    const Meant a = random_filter(random, depth - 1);
    if (kind == 3) return {"not(" + a.text + ")", [=](const Known& known) { return !a.holds(known); }};
    const Meant b = random_filter(random, depth - 1);
    if (kind == 4)
        return {"(" + a.text + " and " + b.text + ")",
                [=](const Known& known) { return a.holds(known) && b.holds(known); }};
    return {"(" + a.text + " or " + b.text + ")", [=](const Known& known) { return a.holds(known) || b.holds(known); }};
}

auth::Scope scope_of(const std::string& stream) { return auth::Scope(text::StreamSelection({&stream, 1})); }

struct Past {
    // Appends a document with these items, or with each of them alone. Returns the first one's id.
    std::uint64_t publish(const std::string& stream, const std::vector<std::string>& items, bool alone = false) {
        const feed::DocumentPtr document = broker::document(items);
        store::Appends appends;
        store::Append& append = appends.emplace_back();
        append.stream = std::make_shared<const std::string>(stream);
        append.record = std::make_shared<feed::DocumentRecord>(feed::record_document(*document, {}));
        append.document = document;
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < items.size(); ++i) {
            append.events.emplace_back();
            append.events.back().item = feed::source_range(*document, i);
            all.push_back(i);
        }
        if (alone) append.items = feed::record_items(*document, *append.record, all, 1u << 20).value();
        const auto result = log.append(store::random_attempt_id(), std::move(appends), nullptr);
        REQUIRE_FALSE(result->error);
        return result->first_ids[0];
    }

    void publish_at_random(std::mt19937& random) {
        now += static_cast<feed::RecordTime>(random() % 600'000'000);
        std::vector<std::string> items;
        std::vector<Known> added;
        const std::string stream = random() % 3 == 0 ? "other" : "s";
        const bool alone = random() % 2 == 0;
        for (std::size_t i = 0, n = 1 + random() % 5; i < n; ++i) {
            const int title = static_cast<int>(random() % 100);
            const std::string category(1, static_cast<char>('a' + random() % 4));
            items.push_back(item(std::to_string(title), category));
            added.push_back({0, stream, now, title, category, i, alone});
        }
        const std::uint64_t first = publish(stream, items, alone);
        for (std::size_t i = 0; i < added.size(); ++i) {
            added[i].id = first + i;
            known.push_back(added[i]);
        }
    }

    PastMatches matches(const std::string& filter, const std::string& stream = "s", std::uint64_t first_id = 1,
                        PastMatches::Limits limits = {}) {
        return {filter::compile_filter(filter).value(), {log, memory, scope_of(stream), first_id}, limits, [this] {
                    ++pauses;
                }};
    }

    base::MemoryBudget memory{1u << 30};
    feed::RecordTime now = 1'795'773'600'000'000;
    store::MemoryLog log{64u << 20, memory, [this] { return now; }};
    std::vector<Known> known;
    std::size_t pauses = 0;
};

void run(PastMatches& matches) {
    while (matches.step()) continue;
}

void check_equal(const PastMatches& matches, const std::vector<Known>& known, const std::string& stream,
                 std::uint64_t first_id, const std::function<bool(const Known&)>& holds, bool needs_siblings) {
    PastMatches::Counts expected;
    std::vector<std::uint64_t> ids;
    for (const Known& event : known) {
        if (event.id < first_id || (stream != "*" && event.stream != stream)) continue;
        PastMatches::Hour& hour = expected.hours[event.time / 3'600'000'000 * 3'600'000'000];
        ++expected.events;
        ++hour.events;
        if (needs_siblings && event.is_alone) {
            ++expected.context;
        } else if (holds(event)) {
            ++expected.matched;
            ++hour.matched;
            ids.push_back(event.id);
        }
    }
    const PastMatches::Counts& counts = matches.counts();
    CHECK(counts.is_complete);
    CHECK_FALSE(counts.has_dropped);
    CHECK(counts.events == expected.events);
    CHECK(counts.matched == expected.matched);
    CHECK(counts.context == expected.context);
    CHECK(counts.over_budget + counts.undelivered == 0);
    REQUIRE(counts.hours.size() == expected.hours.size());
    for (const auto& [begin, hour] : expected.hours) {
        CHECK(counts.hours.at(begin).events == hour.events);
        CHECK(counts.hours.at(begin).matched == hour.matched);
    }
    if (ids.size() > PastMatches::examples_max)
        ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(PastMatches::examples_max));
    std::vector<std::uint64_t> found;
    for (const auto& example : matches.examples()) found.push_back(example.head.id);
    CHECK(found == ids);
}

}  // namespace

TEST_CASE("past matches are those of a plain model") {
    std::mt19937 random(1);
    Past past;
    for (int i = 0; i < 400; ++i) past.publish_at_random(random);
    for (int i = 0; i < 60; ++i) {
        const Meant filter = random_filter(random);
        const std::string stream = i % 3 == 0 ? "*" : i % 3 == 1 ? "s" : "other";
        const std::uint64_t first_id = 1 + random() % (past.known.size() + 2);
        CAPTURE(filter.text, stream, first_id);
        PastMatches matches = past.matches(filter.text, stream, first_id);
        const std::vector<Known> before = past.known;
        past.publish_at_random(random);  // too late to be counted
        run(matches);
        check_equal(matches, before, stream, first_id, filter.holds, false);
    }
    CHECK(past.pauses > 0);
}

TEST_CASE("past events kept without their siblings are undecided for filters that look at them") {
    std::mt19937 random(2);
    Past past;
    for (int i = 0; i < 200; ++i) past.publish_at_random(random);
    const std::string filter = "count(preceding-sibling::item) = 1 and title < 70";
    PastMatches matches = past.matches(filter);
    run(matches);
    const auto holds = [](const Known& known) { return known.before == 1 && known.title < 70; };
    check_equal(matches, past.known, "s", 1, holds, true);
    CHECK(matches.counts().context > 0);
    CHECK(matches.counts().matched > 0);
}

TEST_CASE("past events whose filter exceeds a budget are undecided, unless others decide") {
    Past past;
    std::vector<std::string> items;
    for (int i = 0; i < 200; ++i) items.push_back(item(std::to_string(i)));
    past.publish("s", items);
    PastMatches::Limits limits;
    limits.conditions.scan.condition_steps_max = 1'000;
    PastMatches matches = past.matches("title < 10 or (title > 189 and count(//title[. = 'x']) > 1)", "s", 1, limits);
    run(matches);
    CHECK(matches.counts().matched == 10);
    CHECK(matches.counts().over_budget == 10);
}

TEST_CASE("past events whose record can't be parsed again are undelivered") {
    Past past;
    past.publish("s", {item("1"), item("2")});
    PastMatches::Limits limits;
    limits.documents.values_max = 1;
    PastMatches matches = past.matches("true()", "s", 1, limits);
    run(matches);
    CHECK(matches.counts().undelivered == 2);
    CHECK(matches.counts().is_complete);
}

TEST_CASE("counting past matches ends at the same event each time when it takes too long") {
    std::mt19937 random(3);
    Past past;
    for (int i = 0; i < 2'000; ++i) past.publish_at_random(random);
    const std::string filter = GENERATE("title < 50", "edit-distance(title, '123456') > 4", "count(//title) > 1");
    PastMatches::Limits limits;
    limits.time = std::chrono::milliseconds(5);
    PastMatches first = past.matches(filter, "*", 1, limits), again = past.matches(filter, "*", 1, limits);
    run(first);
    run(again);
    CHECK_FALSE(first.counts().is_complete);
    CHECK(first.counts().events > 0);
    CHECK(first.counts().events < past.known.size());
    CHECK(first.counts().last_id == past.known[first.counts().events - 1].id);
    CHECK(first.counts().last_id == again.counts().last_id);
    CHECK(first.counts().matched == again.counts().matched);
    CHECK_FALSE(first.step());  // for good

    limits = {.events = 77};
    PastMatches some = past.matches(filter, "*", 1, limits), all = past.matches(filter, "*");
    run(some);
    CHECK_FALSE(some.counts().is_complete);
    CHECK(some.counts().events == 77);
    run(all);
    CHECK(all.counts().is_complete);
    CHECK(all.counts().events == past.known.size());
}

TEST_CASE("a costly batch of past events is divided") {
    Past past;
    const std::string text(20'000, 'a');
    for (int i = 0; i < 300; ++i) past.publish("s", {item(i < 290 ? "b" : text + std::to_string(i))});
    PastMatches matches = past.matches("edit-distance(title, '" + std::string(200, 'a') + "', 'typing') > 9 and title");
    std::size_t steps = 1;
    while (matches.step()) ++steps;
    CHECK(steps > 1);
    CHECK(matches.counts().events == 300);
    CHECK(matches.counts().matched == 300);
}

TEST_CASE("past events that are dropped while matches are counted are told") {
    std::mt19937 random(4);
    Past past;
    for (int i = 0; i < 20'000; ++i) past.publish_at_random(random);
    PastMatches matches = past.matches("title < 50");
    REQUIRE(matches.step());
    store::Retention retention;
    retention.events = 10;
    past.log.retain("s", retention);
    run(matches);
    CHECK(matches.counts().has_dropped);
    CHECK(matches.counts().is_complete);
    for (const auto& example : matches.examples()) CHECK(example.of->record != nullptr);
}

TEST_CASE("PastMatches: events that can't be read → count as dropped, and all others are counted") {
    Past past;
    for (int i = 0; i < 10; ++i) past.publish("s", {item("1"), item("2")});
    store::DamagedLog damaged(past.log);
    damaged.set({.first_damaged = 5, .last_damaged = 8});
    const auto counts = [&](std::uint64_t first_id) {
        PastMatches matches(filter::compile_filter("title = 1").value(),
                            {damaged, past.memory, scope_of("s"), first_id}, {}, [] {});
        run(matches);
        return matches.counts();
    };
    CHECK(counts(1).has_dropped);
    CHECK(counts(1).events == 16);
    CHECK(counts(1).matched == 8);
    CHECK(counts(1).is_complete);
    CHECK_FALSE(counts(9).has_dropped);
    CHECK(counts(9).events == 12);
}

TEST_CASE("counting past matches ends when it is not wanted, or memory is short") {
    Past past;
    past.publish("s", {item("1"), item("2")});
    struct Unwanted {};
    PastMatches unwanted(filter::compile_filter("true()").value(), {past.log, past.memory, scope_of("s"), 1}, {},
                         [] { throw Unwanted(); });
    CHECK_THROWS_AS(unwanted.step(), Unwanted);
    PastMatches matches = past.matches("true()");
    const auto all = past.memory.force_charge(base::MemoryUse::evaluation, 1u << 30);
    CHECK_THROWS_AS(matches.step(), StoredDocuments::NoMemory);
}

TEST_CASE("examples of past matches are charged to the memory as long as they are kept") {
    Past past;
    const std::size_t before = past.memory.used(base::MemoryUse::evaluation);
    {
        for (int i = 0; i < 50; ++i) past.publish("s", {item(std::string(100'000, 'x'))});
        PastMatches matches = past.matches("true()");
        run(matches);
        CHECK(matches.examples().size() == PastMatches::examples_max);
        CHECK(past.memory.used(base::MemoryUse::evaluation) >= before + PastMatches::examples_max * 100'000);
    }
    CHECK(past.memory.used(base::MemoryUse::evaluation) == before);
}
