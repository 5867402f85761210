#include "protocol/filter/compile/kernel_functions.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "protocol/filter/explain.hpp"
#include "protocol/filter/filter.hpp"

using namespace sluice;
using namespace sluice::filter;
using Kind = engine::Measure::Kind;

namespace {

Filter compiled(const std::string& text) {
    INFO(text);
    const auto filter = compile_filter(text);
    if (!filter) FAIL(text << ": " << filter.error().message);
    return *filter;
}

engine::Predicate predicate_of(const std::string& text) {
    const Filter filter = compiled(text);
    REQUIRE(filter.leaves.size() == 1);
    const Leaf& leaf = filter.leaves[0];
    CHECK(leaf.computed());
    CHECK_FALSE(leaf.indexed);
    CHECK_FALSE(leaf.scanned());
    CHECK(filter.disjunction == engine::Disjunction{{leaf.predicate}, {{{0, false}}}});
    return leaf.predicate;
}

// Whether this build has regular expressions.
bool has_regex() { return engine::invalid_reason({Kind::matches, "a", "", 0, 0}).empty(); }

engine::Measure approximate(Kind kind, std::string pattern, std::string costs) {
    return {kind, std::move(pattern), costs, 0, 0};
}

}  // namespace

TEST_CASE("a call of an operator's function is a comparison of its measure") {
    if (has_regex())
        CHECK(predicate_of("matches(title, '^a.*b$')") ==
              engine::Predicate{"title", engine::Operator::number_not_equal, "", 0,
                                engine::Measure{Kind::matches, "^a.*b$", "", 0, 0}});
    CHECK(predicate_of("approx-contains($title, 'kernel', 2)") ==
          engine::Predicate{"$title", engine::Operator::less_equal, "", 2,
                            approximate(Kind::approx_distance, "kernel", "unit")});
    CHECK(predicate_of("2 > approx-distance(title, 'kernel', 'vowels')") ==
          engine::Predicate{"title", engine::Operator::less, "", 2,
                            approximate(Kind::approx_distance, "kernel", "vowels")});
    CHECK(predicate_of("edit-distance(normalize-space(title), 'kernel', 'typing') != '12'") ==
          engine::Predicate{"normalize-space(title)", engine::Operator::number_not_equal, "", 12,
                            approximate(Kind::edit_distance, "kernel", "typing")});
}

TEST_CASE("schemes, sequences and series") {
    const auto measure = [](const std::string& call) { return *predicate_of(call + " > 0.5").measure; };
    CHECK(measure("align(s, 'acgtn')") == engine::Measure{Kind::align, "ACGTN", "dna:1,-3,-5,-2", 0, 0});
    CHECK(measure("align(s, 'ACGTN', 'dna:1,-3,5,2')") == measure("align(s, 'acgtn', 'dna')"));
    CHECK(measure("align(s, 'ACGT', 'dna:2,-3,-5,-2')") ==
          engine::Measure{Kind::align, "ACGT", "dna:2,-3,-5,-2", 0, 0});
    CHECK(measure("align-global(s, 'MKV*', 'blosum62')") ==
          engine::Measure{Kind::align_global, "MKV*", "blosum62:-11,-1", 0, 0});
    CHECK(measure("align-global(s, 'mkv', 'blosum50:10,2')") ==
          engine::Measure{Kind::align_global, "MKV", "blosum50:-10,-2", 0, 0});
    for (const char* same : {"'DNA'", "'dna:1,-3,5,2'", "'dna:+1,-3,-5,-2'", "'dna: 1, -3, 5, 2'", "'dna:1,-3,-5,2'"})
        CHECK(measure("align(s, 'ACGTN', " + std::string(same) + ")") == measure("align(s, ' acg\ntn')"));
    for (const char* same : {"'BLOSUM62'", "'blosum62:11,1'", "'blosum62:-11,-1'", "'blosum62:11, -1'"})
        CHECK(measure("align(s, 'MKVU', " + std::string(same) + ")") == measure("align(s, 'MKVU', 'blosum62')"));
    CHECK(measure("align(s, 'MKV', 'blosum50:13,2')") == measure("align(s, 'MKV', 'blosum50')"));
    CHECK(measure("laminarity(s, 0.1)") == engine::Measure{Kind::laminarity, "", "", 0.1, 2});
    CHECK(measure("laminarity(s, '0.1', 3)") == engine::Measure{Kind::laminarity, "", "", 0.1, 3});
    CHECK(measure("determinism(s, .1, 2)") == engine::Measure{Kind::determinism, "", "", 0.1, 2});
    CHECK(measure("recurrence-rate(s, 1)") == engine::Measure{Kind::recurrence_rate, "", "", 1, 0});
}

TEST_CASE("what differs in spelling only is one predicate") {
    const std::pair<const char*, const char*> same[] = {
        {"approx-contains(title, 'x', 2)", "approx-distance(title, \"x\") <= 2"},
        {"approx-contains(title, 'x', '2')", "2 >= approx-distance(title, concat('x', ''), 'unit')"},
        {"approx-contains(title, 'x', 1)", "true() = approx-contains(title, 'x', 1)"},
        {"approx-contains(title, 'x', 1)", "boolean(approx-contains(title, 'x', 1))"},
        {"category[edit-distance(., 'x') < 2]", "edit-distance(category, 'x') < 2"},
        {"../title[approx-contains(., 'x', 1)]", "approx-contains(../title, 'x', 1)"},
        {"approx-distance(title, 'x') = -0", "approx-distance(title, 'x') = 0"},
    };
    for (const auto& [a, b] : same) {
        INFO(a << " and " << b);
        CHECK(predicate_of(a) == predicate_of(b));
        CHECK(compiled(a).canonical == compiled(b).canonical);
    }
    if (has_regex()) {
        CHECK(predicate_of("category[matches(., 'x')]") == predicate_of("true() = matches(category, 'x')"));
        CHECK_FALSE(predicate_of("matches(title, 'x')") == predicate_of("matches(title, 'y')"));
    }
    CHECK_FALSE(predicate_of("approx-contains(title, 'x', 1)") == predicate_of("approx-contains(title, 'x', 2)"));
    CHECK_FALSE(predicate_of("edit-distance(title, 'x') < 2") == predicate_of("approx-distance(title, 'x') < 2"));
}

TEST_CASE("computed conditions stand where others do") {
    const Filter selecting =
        compiled("/rss/channel[edit-distance(title, 'x') < 2]/item[approx-contains(category, 'b', 1)]");
    REQUIRE(selecting.leaves.size() == 3);
    CHECK(selecting.leaves[1].predicate.attribute == "../title");
    CHECK(selecting.leaves[2].predicate.attribute == "category");
    const Filter both = compiled("category = 'a' and not(approx-contains(title, 'b', 0))");
    REQUIRE(both.disjunction.conjunctions.size() == 1);
    CHECK(both.disjunction.conjunctions[0].size() == 2);
    CHECK(both.canonical == "category = 'a' and not(approx-distance(title, 'b') <= 0)");
    CHECK(compiled("category[. = 'a' or approx-contains(., 'b', 1)]").disjunction.conjunctions.size() == 2);
    CHECK(compiled("approx-distance(title, 'x') < number('x')").disjunction.conjunctions.empty());
}

TEST_CASE("an explanation tells computed leaves from others") {
    CHECK(explain(compiled("category = 'a' and edit-distance(lower-case(title), 'x') < 2")) ==
          "filter: category = 'a' and edit-distance(lower-case(title), 'x') < 2\n"
          "form:   a test of each item\n"
          "leaves:\n"
          "  [1] category = 'a'\n"
          "      indexed on category\n"
          "  [2] edit-distance(lower-case(title), 'x') < 2\n"
          "      computed on lower-case(title): the edit distance of the whole text, in characters; on a GPU where "
          "that is cheaper\n"
          "matches when this holds:\n"
          "  [1] and [2]\n"
          "1 leaf is computed: for the items of a batch that the other leaves leave undecided.\n");
    CHECK(explain(compiled("laminarity(series, 0.1, 65) > 0.9")).find("; on the CPU\n") != std::string::npos);
    const std::string sampled = explain(compiled("determinism(series, 0.1) > 0.9 or determinism(series, 0.1, 99) > 0"));
    INFO(sampled);
    CHECK(sampled.find("computed on series: exact up to 16384 values; beyond, estimated from") != std::string::npos);
    CHECK(sampled.find("no answer beyond, since lines of 99 are too long to be sampled") != std::string::npos);
    CHECK(sampled.find("2 leaves are computed") != std::string::npos);
}
