#include "broker/match/event_explainer.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>

#include "protocol/feed/parse.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

feed::Event event_of(const std::string& content, const std::string& beside = "") {
    const auto document = feed::parse_document("<r>" + beside + "<item>" + content + "</item></r>", {});
    REQUIRE(document.has_value());
    return {*document, (*document)->items().size() - 1, std::make_shared<const std::string>("s"), 7};
}

struct Explained {
    filter::Filter filter;
    Explanation found;
};

Explained explain(const std::string& text, const feed::Event& event, bool has_siblings = true,
                  const BatchLimits& limits = {}) {
    const auto filter = filter::compile_filter(text);
    REQUIRE(filter.has_value());
    Explained explained{*filter, {}};
    explained.found = EventExplainer(explained.filter, limits, [] {}).explain(event, has_siblings);
    REQUIRE(explained.found.leaves.size() == filter->leaves.size());
    return explained;
}

feed::Event lamp() { return event_of("<title>Lamp</title><price>120</price><c>x</c><c>y</c><s>1 2 1 2</s>"); }

// True if one alternative holds, else unknown if one is unknown.
std::optional<bool> by_alternatives(const Explained& explained) {
    std::optional<bool> any = false;
    for (const Alternative& alternative : alternatives_of(explained.filter, explained.found.leaves)) {
        if (alternative.holds.value_or(false)) return true;
        if (!alternative.holds) any.reset();
    }
    return any;
}

}  // namespace

TEST_CASE("each condition has its answer and the values of its path") {
    const auto [filter, found] = explain("contains(title, 'a') and price < 90 or c = 'y' or count(//item) = 1", lamp());
    CHECK(found.matched == true);
    REQUIRE(found.leaves.size() == 4);
    CHECK(found.leaves[0].holds == true);
    CHECK(found.leaves[0].values == std::vector<std::string>{"Lamp"});
    CHECK(found.leaves[1].holds == false);
    CHECK(found.leaves[1].values == std::vector<std::string>{"120"});
    CHECK(found.leaves[2].holds == true);
    CHECK(found.leaves[2].values == std::vector<std::string>{"x", "y"});
    CHECK(found.leaves[2].value_count == 2);
    CHECK(found.leaves[3].holds == true);
    CHECK_FALSE(found.leaves[3].value_count.has_value());
}

TEST_CASE("a computed condition has its numbers") {
    const auto [filter, found] = explain("edit-distance(c, 'xy') > 0 and determinism(title, 0.5) >= 0", lamp());
    CHECK(found.matched == false);
    CHECK(found.leaves[0].computed == std::vector<double>{1, 1});
    REQUIRE(found.leaves[1].computed.size() == 1);
    CHECK(std::isnan(found.leaves[1].computed[0]));
    CHECK(explain("matches(title, 'L')", lamp()).found.leaves[0].computed.empty());
}

TEST_CASE("what nothing depends on is not evaluated, and its values are there all the same") {
    const auto [filter, found] =
        explain("price < 90 and (count(//item) = 1 or edit-distance(title, 'Lump') = 1)", lamp());
    CHECK(found.matched == false);
    CHECK(found.leaves[0].reason.empty());
    CHECK(found.leaves[1].reason == Unknown::not_needed);
    CHECK(found.leaves[2].reason == Unknown::not_needed);
    CHECK(found.leaves[2].values == std::vector<std::string>{"Lamp"});
    CHECK(found.leaves[2].computed.empty());
    // A scanned condition that fails spares a computed one.
    const auto scanned = explain("count(//item) = 2 and edit-distance(title, 'Lump') = 1", lamp()).found;
    CHECK(scanned.leaves[0].holds == false);
    CHECK(scanned.leaves[1].reason == Unknown::not_needed);
}

TEST_CASE("values are shortened at characters, and the rest is counted") {
    std::string content = "<t>" + std::string(199, 'a') + "äöü</t>";
    for (int i = 0; i < 20; ++i) content += "<c>" + std::to_string(i) + "</c>";
    const auto [filter, found] = explain("t = 'x' or c = '15' or d", event_of(content));
    CHECK(found.matched == true);
    CHECK(found.leaves[0].values == std::vector<std::string>{std::string(199, 'a') + "…"});
    CHECK(found.leaves[1].values.size() == EventExplainer::values_max);
    CHECK(found.leaves[1].values.back() == "9");
    CHECK(found.leaves[1].value_count == 20);
    CHECK(found.leaves[2].values.empty());
    CHECK(found.leaves[2].value_count == 0);
}

TEST_CASE("the values of all conditions together are bounded") {
    std::string content, text = "c = 'x'";
    for (int i = 0; i < 10; ++i) content += "<c>" + std::string(200, 'a') + "</c>";
    for (int i = 0; i < 600; ++i) text += " or c = '" + std::to_string(i) + "'";
    filter::FilterLimits limits;
    limits.conjunctions_max = 1000;
    const auto filter = filter::compile_filter(text, limits);
    REQUIRE(filter.has_value());
    const auto found = EventExplainer(*filter, {}, [] {}).explain(event_of(content), true);
    std::size_t bytes = 0;
    for (const LeafFinding& finding : found.leaves) {
        CHECK(finding.value_count == 10);
        for (const std::string& value : finding.values) bytes += value.size();
    }
    CHECK(found.leaves.front().values.size() == 10);
    CHECK(found.leaves.back().values.empty());
    CHECK(bytes > EventExplainer::values_bytes_max);
    CHECK(bytes < EventExplainer::values_bytes_max + 1'000);
}

TEST_CASE("values that events share are read, too") {
    const auto found = explain("../t = 'u'", event_of("<c/>", "<t>u</t><item/>")).found;
    CHECK(found.matched == true);
    CHECK(found.leaves[0].values == std::vector<std::string>{"u"});
}

TEST_CASE("conditions beyond their budgets are unknown, and so is the filter if they decide") {
    BatchLimits scans;
    scans.scan.condition_steps_max = 10;
    const auto scanned = explain("count(//c) = 2 and title", lamp(), true, scans).found;
    CHECK_FALSE(scanned.matched.has_value());
    CHECK(scanned.reason == Unknown::over_budget);
    CHECK_FALSE(scanned.leaves[0].holds.has_value());
    CHECK(scanned.leaves[0].reason == Unknown::over_budget);
    CHECK(scanned.leaves[1].holds == true);
    CHECK(explain("count(//c) = 2 and nothing", lamp(), true, scans).found.matched == false);

    BatchLimits computes;
    computes.condition_time = std::chrono::nanoseconds(1);
    const auto computed = explain("edit-distance(title, 'Lump') = 1 or price = 120", lamp(), true, computes).found;
    CHECK(computed.matched == true);
    CHECK(computed.leaves[0].reason == Unknown::over_budget);

    BatchLimits reads;
    reads.scan.condition_steps_max = reads.scan.document_steps_max = 1;
    const auto unread = explain("*/*/*/* = 'x' and c = 'x'", lamp(), true, reads).found;
    CHECK(by_alternatives({*filter::compile_filter("*/*/*/* = 'x' and c = 'x'"), unread}) == unread.matched);
}

TEST_CASE("all computed conditions of an event share a budget") {
    const std::string edits = "edit-distance(title, 'Lump') = 1", alignment = "align(title, 'ACGT') < 9";
    BatchLimits limits;
    limits.event_time = std::chrono::nanoseconds(10);  // more than either, as estimated, and less than both
    CHECK(explain(edits, lamp(), true, limits).found.matched == true);
    CHECK(explain(alignment, lamp(), true, limits).found.matched == true);
    const auto both = explain(edits + " and " + alignment, lamp(), true, limits).found;
    CHECK_FALSE(both.matched.has_value());
    CHECK(both.reason == Unknown::over_budget);
    CHECK(both.leaves[0].reason == Unknown::over_budget);
    CHECK(both.leaves[0].values == std::vector<std::string>{"Lamp"});
    CHECK(explain(edits + " and " + alignment + " and nothing", lamp(), true, limits).found.matched == false);
}

TEST_CASE("an exception from the hook ends the explanation, and the next one is whole") {
    const auto filter = filter::compile_filter("count(//item) = 1 and price");
    bool throws = true;
    EventExplainer explainer(*filter, {}, [&] {
        if (throws) throw std::runtime_error("left");
    });
    CHECK_THROWS_AS(explainer.explain(lamp(), true), std::runtime_error);
    throws = false;
    CHECK(explainer.explain(lamp(), true).matched == true);
}

TEST_CASE("without siblings, conditions that look at them are unknown, and the filter with them") {
    const auto found = explain("price = 120 or ../item/title = 'x'", lamp(), false).found;
    CHECK_FALSE(found.matched.has_value());
    CHECK(found.reason == Unknown::context);
    CHECK(found.leaves[0].holds == true);
    CHECK(found.leaves[1].reason == Unknown::context);
    CHECK_FALSE(found.leaves[1].value_count.has_value());
    CHECK(explain("price = 120", lamp(), false).found.matched == true);
}

TEST_CASE("of an event that can't be read again nothing is known") {
    const auto filter = filter::compile_filter("a and b");
    const auto found = EventExplainer(*filter, {}, [] {}).undelivered();
    CHECK_FALSE(found.matched.has_value());
    REQUIRE(found.leaves.size() == 2);
    CHECK(found.leaves[1].reason == Unknown::undelivered);
}

TEST_CASE("the conditions never contradict the filter, whatever the budgets") {
    std::mt19937 random(5);
    const char* const leaves[] = {"c = 'x'",
                                  "c != 'y'",
                                  "n < 5",
                                  "n + 1 > 3",
                                  "contains(t, 'ab')",
                                  "count(//c) > 2",
                                  "edit-distance(t, 'abba') < 3",
                                  "approx-distance(c, 'xyz') = 2",
                                  "align(t, 'ACGT') > 1",
                                  "starts-with($title, 'a')",
                                  "string-length(t) > 3",
                                  "../item/n = 4",
                                  "determinism(s, 0.5) > 0.2",
                                  "preceding-sibling::item",
                                  "t"};
    const auto any_leaf = [&] { return std::string(leaves[random() % std::size(leaves)]); };
    const auto any_filter = [&](const auto& self, int depth) -> std::string {
        const auto kind = depth == 0 ? 0 : random() % 4;
        if (kind == 0) return any_leaf();
        if (kind == 1) return "not(" + self(self, depth - 1) + ")";
        return "(" + self(self, depth - 1) + (kind == 2 ? " and " : " or ") + self(self, depth - 1) + ")";
    };
    const auto any_item = [&] {
        std::string content;
        const auto some = [&](const char* name, std::string text) {
            if (random() % 3 != 0) content += "<" + std::string(name) + ">" + text + "</" + name + ">";
        };
        some("title", random() % 2 ? "ab" : "ba");
        some("t", random() % 2 ? "abab" : "ACG");
        some("c", random() % 2 ? "x" : "y");
        some("c", random() % 2 ? "y" : "z");
        some("n", std::to_string(random() % 9));
        some("s", "1 2 1 2 3 1");
        return content;
    };
    int unknown = 0, matched = 0;
    for (int i = 0; i < 1'000; ++i) {
        const feed::Event event = event_of(any_item(), "<item>" + any_item() + "</item>");
        BatchLimits limits;
        if (random() % 3 == 0) limits.scan.condition_steps_max = 200 + random() % 400;
        if (random() % 3 == 0) limits.scan.document_steps_max = 300 + random() % 900;
        if (random() % 3 == 0) limits.condition_time = limits.event_time = std::chrono::nanoseconds(1 + random() % 200);
        const std::string text = any_filter(any_filter, 4);
        INFO(text);
        const auto explained = explain(text, event, random() % 4 != 0, limits);
        const auto by = by_alternatives(explained);
        unknown += !by;
        matched += explained.found.matched.value_or(false);
        if (explained.found.reason == Unknown::context) continue;
        if (by) CHECK(explained.found.matched == *by);
    }
    CHECK(unknown > 50);
    CHECK(matched > 100);
}
