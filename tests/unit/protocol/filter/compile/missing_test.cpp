#include "protocol/filter/compile/missing.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;

namespace {

std::string canonical(const std::string& text) {
    const auto filter = compile_filter(text);
    if (!filter) FAIL(filter.error().message);
    return filter->canonical;
}

// Whether the conjunctions hold for an event without any value.
bool holds_without_values(const std::string& text) {
    const auto filter = compile_filter(text);
    if (!filter) FAIL(filter.error().message);
    for (const engine::Conjunction& conjunction : filter->disjunction.conjunctions) {
        bool all = true;
        for (const engine::Literal& literal : conjunction) all = all && literal.negated;
        if (all) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("what holds without a node becomes the negation of what does not") {
    for (const auto& [text, expected] : {
             std::pair("count(a) < 1", "not(count(a) >= 1)"),
             std::pair("count(a) <= 0", "not(count(a) > 0)"),
             std::pair("count(a) = 0", "not(count(a) != 0)"),
             std::pair("count(a) != 2", "not(count(a) = 2)"),
             std::pair("count(a) > -1", "not(count(a) <= -1)"),
             std::pair("count(a) >= 1", "count(a) >= 1"),
             std::pair("not(count(a) >= 1)", "not(count(a) >= 1)"),
             std::pair("string-length(a) = 0", "not(string-length(a) != 0)"),
             std::pair("string(a) = ''", "not(string(a) != '')"),
             std::pair("string(a) != 'x'", "not(string(a) = 'x')"),
             std::pair("not(string(a) != 'x')", "string(a) = 'x'"),
             std::pair("number(a) != 5", "not(string(a) = 5)"),
             std::pair("number(a) < 5", "string(a) < 5"),
             std::pair("normalize-space($title) = ''", "not(normalize-space($title) != '')"),
             std::pair("string(lower-case(a)) != 'x'", "not(string(lower-case(a)) = 'x')"),
             std::pair("sum(a) = 0", "not(sum(a) != 0)"),
             std::pair("sum(a) > 1", "sum(a) > 1"),
             std::pair("sum(a) < 1", "not(a) or sum(a) < 1"),
             std::pair("name(../..) = ''", "not(name(../..) != '')"),
             std::pair("edit-distance(string(a), 'ab') <= 2", "edit-distance(string(a), 'ab') <= 2 or not(a)"),
             std::pair("edit-distance(string(a), 'ab') <= 1", "edit-distance(string(a), 'ab') <= 1"),
             std::pair("a != 'x'", "a != 'x'"),
         })
        CHECK(canonical(text) == expected);
}

TEST_CASE("what always has a node stays as it is") {
    for (const std::string text : {"string(.) = ''", "count(..) < 2", "name(.) != 'a'", "string(..) != 'x'"})
        CHECK(canonical(text) == text);
    CHECK(canonical("count(@a) < 2") == "not(count(@a) >= 2)");
    CHECK(canonical("string(text()) = ''") == "not(string(text()) != '')");
}

TEST_CASE("without values a filter answers as for an empty set of nodes") {
    for (const std::string text :
         {"count(a) < 1", "sum(a) < 1", "sum(a) >= 0", "string(a) = ''", "number(a) != 1", "string-length(a) < 3",
          "normalize-space(a) != 'x'", "not(contains(a, 'x'))", "contains(a, '')", "not(a)",
          "edit-distance(string(a), 'ab') = 2", "not(count(a) > 0)", "name(../../..) = ''"})
        CHECK(holds_without_values(text));
    for (const std::string text :
         {"count(a) >= 1", "sum(a) > 0", "string(a) != ''", "number(a) = 1", "number(a) < 1", "a != 'x'",
          "string-length(a) > 0", "contains(a, 'x')", "not(sum(a) < 1)", "not(string(a) = '')", "not(number(a) != 1)",
          "determinism(string(a), 1) != 2", "edit-distance(string(a), 'ab') = 1", "name(../../..) = 'a'"})
        CHECK_FALSE(holds_without_values(text));
}

TEST_CASE("no text or number is both") {
    const engine::Predicate sum{"sum(a)", engine::Operator::less, {}, 1};
    CHECK(holds_without_nodes(sum));
    CHECK_FALSE(opposite(sum));  // it may be NaN
    CHECK(existence(sum) == engine::Predicate{"a", engine::Operator::exists, {}, 0});
    const engine::Predicate count{"count(a)", engine::Operator::less, {}, 1};
    CHECK(opposite(count) == engine::Predicate{"count(a)", engine::Operator::greater_equal, {}, 1});
}
