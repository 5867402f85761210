#include "broker/match/explanation.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace sluice;
using namespace sluice::broker;
using Failed = std::vector<std::uint32_t>;

namespace {

filter::Filter compiled(const std::string& text) {
    const auto filter = filter::compile_filter(text);
    REQUIRE(filter.has_value());
    return *filter;
}

LeafFinding known(bool holds, std::vector<std::string> values = {}, std::vector<double> computed = {}) {
    LeafFinding finding;
    finding.holds = holds;
    finding.value_count = values.size();
    finding.values = std::move(values);
    finding.computed = std::move(computed);
    return finding;
}

LeafFinding unknown(std::string_view reason) {
    LeafFinding finding;
    finding.reason = reason;
    return finding;
}

std::string sentence(const std::string& filter, std::optional<bool> matched, std::vector<LeafFinding> leaves,
                     std::string_view reason = {}) {
    return because(compiled(filter), {matched, reason, std::move(leaves)});
}

}  // namespace

TEST_CASE("an alternative fails by the literals that are false, whatever is unknown") {
    const filter::Filter filter = compiled("(a = 1 or not(b = 2)) and c = 3");
    REQUIRE(filter.leaves.size() == 3);
    const LeafFinding yes = known(true), no = known(false), open = unknown(Unknown::over_budget);
    const auto alternatives = [&](const std::vector<LeafFinding>& leaves) {
        auto found = alternatives_of(filter, leaves);
        REQUIRE(found.size() == 2);
        const bool is_first_of_a = filter.leaf_of[filter.disjunction.conjunctions[0][0].predicate] == 0 ||
                                   filter.leaf_of[filter.disjunction.conjunctions[0][1].predicate] == 0;
        if (!is_first_of_a) std::swap(found[0], found[1]);
        return found;
    };
    auto found = alternatives({yes, yes, yes});
    CHECK(found[0].holds == true);
    CHECK(found[0].failed.empty());
    CHECK(found[1].holds == false);
    CHECK(found[1].failed == Failed{1});
    found = alternatives({no, no, no});
    CHECK(found[0].holds == false);
    CHECK(found[0].failed.size() == 2);
    CHECK(found[1].failed == Failed{2});
    found = alternatives({open, open, yes});
    CHECK_FALSE(found[0].holds.has_value());
    CHECK_FALSE(found[1].holds.has_value());
    found = alternatives({open, open, no});
    CHECK(found[0].holds == false);
    CHECK(found[1].failed == Failed{2});
}

TEST_CASE("filters that always or never match have one empty alternative, or none") {
    REQUIRE(alternatives_of(compiled("true()"), {}).size() == 1);
    CHECK(alternatives_of(compiled("true()"), {})[0].holds == true);
    CHECK(alternatives_of(compiled("false()"), {}).empty());
    CHECK(sentence("true()", true, {}) == "matched: the filter matches every item");
    CHECK(sentence("false()", false, {}) == "not matched: no item can satisfy the filter");
}

TEST_CASE("the sentence names the condition and the values that decide") {
    CHECK(sentence("price < 90", true, {known(true, {"80"})}) == "matched: price < 90 holds (price is 80)");
    CHECK(sentence("price < 90", false, {known(false, {"120"})}) ==
          "not matched: price < 90 does not hold (price is 120)");
    CHECK(sentence("price < 90", false, {known(false, {"120", "low", "a", "b", "c"})}) ==
          "not matched: price < 90 does not hold (price is 120, 'low', 'a' and 2 more)");
    CHECK(sentence("price < 90", false, {known(false)}) == "not matched: price < 90 does not hold (there is no price)");
    CHECK(sentence("count(c) > 1", false, {known(false)}) == "not matched: count(c) > 1 does not hold (there is no c)");
    CHECK(sentence("count(c) > 1", false, {known(false, {"1"})}) ==
          "not matched: count(c) > 1 does not hold (count(c) is 1)");
    CHECK(sentence("contains(t, 'x')", false, {known(false, {"y"})}) ==
          "not matched: contains(t, 'x') does not hold (t is 'y')");
    CHECK(sentence("string-length($title) > 1", false, {known(false)}) ==
          "not matched: string-length($title) > 1 does not hold (there is no $title)");
    CHECK(sentence("name(.) = 'x'", false, {known(false, {"item"})}) ==
          "not matched: name(.) = 'x' does not hold (name(.) is 'item')");
    CHECK(sentence("not(price < 90)", false, {known(true, {"80"})}) ==
          "not matched: not(price < 90) does not hold (price is 80)");
    CHECK(sentence("a = 'x' and b", true, {known(true, {"x"}), known(true, {"y"})}) == "matched: a = 'x' and b hold");
    CHECK(sentence("a and b and c and d", true, std::vector(4, known(true))) == "matched: all 4 conditions hold");
    CHECK(sentence("edit-distance(t, 'one') < 2", false, {known(false, {"six"}, {3})}) ==
          "not matched: edit-distance(t, 'one') < 2 does not hold (computed: 3)");
    const double none = std::numeric_limits<double>::quiet_NaN();
    CHECK(sentence("laminarity(t, 1) > 0.5", false, {known(false, {"six", "1 2"}, {none, 0.25})}) ==
          "not matched: laminarity(t, 1) > 0.5 does not hold (computed: nothing and 0.25)");
    CHECK(sentence("price < 90", false, {known(false, {std::string(100, 'x')})}) ==
          "not matched: price < 90 does not hold (price is '" + std::string(60, 'x') + "…')");
}

TEST_CASE("of several alternatives the sentence names the one that holds, or why each fails") {
    CHECK(sentence("a or b", true, {known(false), known(true, {"x"})}) == "matched: b holds (b is 'x')");
    CHECK(sentence("a or b and c", true, {known(false), known(true), known(true)}) ==
          "matched: alternative 2 holds: b and c");
    CHECK(
        sentence("a or b", false, {known(false), known(false)}) ==
        "not matched: none of 2 alternatives holds: a does not hold (there is no a); b does not hold (there is no b)");
    CHECK(sentence("(a or b) and c", false, {known(true, {"x"}), known(false), known(false)}) ==
          "not matched: c does not hold (there is no c)");
    CHECK(sentence("a or b or c or d", false, std::vector(4, known(false))).ends_with("; 1 more"));
}

TEST_CASE("the sentence says why a filter is undecided") {
    const LeafFinding over = unknown(Unknown::over_budget);
    CHECK(sentence("a and b", {}, {known(true), over}, Unknown::over_budget) == "undecided: b would exceed its budget");
    CHECK(sentence("a and b", {}, {known(true), known(true)}, Unknown::over_budget) ==
          "undecided: the filter would exceed its budget");
    CHECK(sentence("a", {}, {known(true)}, Unknown::context) ==
          "undecided: the filter looks at what is beside the item, which was not retained");
    CHECK(sentence("a", {}, {known(true)}, Unknown::undelivered) ==
          "undecided: the event's document can't be read again");
    CHECK(sentence("a", true, {over}) == "matched: its conditions can't be told one by one within the budget");
    CHECK(sentence("a", false, {over}) == "not matched: its conditions can't be told one by one within the budget");
}
