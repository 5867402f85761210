// The cost of evaluations, and where they stop. Their meaning is compared with libxml2 in tests/differential.
#include "protocol/filter/evaluator/evaluator.hpp"

#include <catch2/catch.hpp>
#include <deque>
#include <stdexcept>

#include "protocol/filter/evaluator/document_index_builder.hpp"
#include "tests/support/conditions.hpp"

using namespace sluice;
using namespace sluice::xpath;

namespace {

// <r><a k="0">0<c/></a><b k="0">0<c/></b><a k="1"> …, n of each.
DocumentIndex pairs(std::size_t n) {
    static std::deque<std::string> texts;  // that the indexes show
    DocumentIndexBuilder builder;
    builder.open_element("r");
    for (std::size_t i = 0; i < n; ++i) {
        for (const char* name : {"a", "b"}) {
            texts.push_back((name == std::string("a") ? "" : "b") + std::to_string(i));
            builder.open_element(name);
            builder.attribute("k", texts.back().c_str());
            builder.text(texts.back().c_str());
            builder.open_element("c");
            builder.close_element();
            builder.close_element();
        }
    }
    builder.close_element();
    return builder.finish();
}

struct Outcome {
    std::optional<bool> value;  // empty: over budget
    std::uint64_t steps = 0;
    std::size_t bytes = 0;  // bytes held at the end
    std::size_t pauses = 0;
};

Outcome evaluate(const std::string& text, const DocumentIndex& index, std::uint64_t steps_max = Meter::unlimited,
                 std::size_t bytes_max = 64u << 20) {
    const auto condition = make_condition(text);
    Outcome outcome;
    Meter meter([&] { ++outcome.pauses; });
    meter.begin(steps_max);
    MeteredMemory memory;
    memory.begin(bytes_max);
    {
        KnownParts parts(*condition, index, &memory);
        const Evaluator evaluator(*condition, index, nullptr, parts, meter, &memory);
        try {
            outcome.value = evaluator.boolean(1);
        } catch (const OverBudget&) {
        }
    }
    outcome.steps = meter.spent();
    outcome.bytes = memory.held();
    return outcome;
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    for (; times > 0; --times) all += text;
    return all;
}

}  // namespace

TEST_CASE("what is worst for other evaluators is linear") {
    const std::string chain = "count(a" + repeated("/following-sibling::a", 90) + ") = ";
    const auto [text, expected, steps_of_node] = GENERATE_COPY(table<std::string, bool, std::size_t>({
        {"//a[@k = 'x']", false, 20},
        {"//a[@k = '7'] and //b[c]", true, 100},
        {"//a[string-length(/) = 7]", false, 40},
        {"//a[count(//b) = count(//a)][last()]", true, 100},
        {"a = b", false, 100},
        {"a != b", true, 20},
        {"a < b", false, 60},
        {"//a[. = //b]", false, 100},
        {"//a[not(. = //b/@k)][7]", true, 100},
        {chain + "1", false, 1500},
        {"count(//c/preceding::a/following::b/ancestor::*) = 1", true, 100},
        {"count(//c/ancestor::*/descendant::c/preceding-sibling::node()) > 3", true, 100},
        {"//a[position() = last()][preceding-sibling::*[1]]", true, 100},
        {"//a/following::b[. = 'x']", false, 60},
        {"(//a)[last()]/preceding-sibling::a[1]", true, 60},
        {"string-length(translate(/, '0123456789', 'abcdefghij')) > 3", true, 40},
        {"contains(/, concat(/, 'x'))", false, 40},
    }));
    INFO(text);
    for (const std::size_t n : {300u, 3000u}) {
        const DocumentIndex index = pairs(n);
        const Outcome outcome = evaluate("boolean(" + text + ")", index);
        CHECK(outcome.value == expected);
        CHECK(outcome.steps < steps_of_node * index.size() + 5000);
        CHECK(outcome.bytes == 0);
        CHECK(evaluate("boolean(" + text + ")", index).steps == outcome.steps);
    }
}

TEST_CASE("whether a path finds anything is known with the first node that it finds") {
    const DocumentIndex index = pairs(3000);
    for (const char* text : {"a[following-sibling::b]", "a/c", "a[following::c/@k or following::c]",
                             "b[ancestor-or-self::r]", "b[preceding::a/@k]", "b[preceding-sibling::*/c]"}) {
        INFO(text);
        const Outcome outcome = evaluate(text, index);
        CHECK(outcome.value == true);
        CHECK(outcome.steps < (std::string(text).find("c/@k") == std::string::npos ? 100 : index.size() * 2));
    }
}

TEST_CASE("the first node of a set is the first in the document, whatever the axis") {
    const DocumentIndex index = pairs(20);
    for (const char* text : {"string(a[9]/preceding-sibling::b) = 'b0'", "string(a[9]/preceding::node()/@k) = '0'",
                             "name(a[9]/c/ancestor::*) = 'r'", "string(a[9]/following-sibling::b/@k) = 'b8'",
                             "sum(a[4]/preceding-sibling::a) = 3", "count(a[9]/preceding-sibling::*/c) = 16"}) {
        INFO(text);
        CHECK(evaluate(text, index).value == true);
    }
}

TEST_CASE("what multiplies stops at its budget, and is interrupted often") {
    const DocumentIndex index = pairs(3000);
    const std::uint64_t budget = 2'000'000;
    for (const char* text :
         {"count(//a[. = following::b]) > 1", "count(//a[count(preceding::b) = 7]) > 3",
          "//*[following::*[preceding::x]]", "count(//a[translate(concat(/, .), 'a', 'b') = 'x']) > 3",
          "//a[contains(concat(/, .), 'xyz')]", "//a[normalize-space(concat(/, .)) = 'x']",
          "count(//c[substring(/, string-length(.) + 90000) = 'x']) > 3", "//a[sum(following::b) = 1]",
          "//a/following::*[last() = 3]"}) {
        INFO(text);
        const Outcome outcome = evaluate(text, index, budget);
        CHECK_FALSE(outcome.value);
        CHECK(outcome.steps == budget);
        CHECK(outcome.pauses >= budget / steps_per_pause / 2);
        CHECK(outcome.bytes == 0);
    }
}

TEST_CASE("memory is refused beyond its limit, and given back") {
    const DocumentIndex index = pairs(3000);
    for (const char* text : {"count(//node() | //@k) > 1", "//a[. = //b]", "string-length(concat(/, /, /)) > 3"}) {
        INFO(text);
        CHECK(evaluate(text, index).value);
        const Outcome outcome = evaluate(text, index, Meter::unlimited, 20'000);
        CHECK_FALSE(outcome.value);
        CHECK(outcome.bytes == 0);
    }
}

TEST_CASE("an exception of the hook leaves what is known usable") {
    const DocumentIndex index = pairs(20'000);
    const auto condition = make_condition("count(a[. = //b/@k]) = 0");
    std::size_t left = 2;
    Meter meter([&] {
        if (left-- == 0) throw std::runtime_error("enough");
    });
    MeteredMemory memory;
    KnownParts parts(*condition, index, &memory);
    const Evaluator evaluator(*condition, index, nullptr, parts, meter, &memory);
    CHECK_THROWS_AS(evaluator.boolean(1), std::runtime_error);
    CHECK(evaluator.boolean(1));
}

TEST_CASE("values of variables are texts without a parent") {
    const DocumentIndex index = pairs(3);
    const auto names = std::size_t{12};
    VariableValues variables;
    variables.texts = {"1", "b2"};
    variables.ranges.assign(names, {0, 2});
    variables.version = 1;
    const auto holds = [&](const char* text) {
        const auto condition = make_condition(text);
        Meter meter;
        MeteredMemory memory;
        KnownParts parts(*condition, index, &memory);
        return Evaluator(*condition, index, &variables, parts, meter, &memory).boolean(1);
    };
    CHECK(holds("$title = a"));
    CHECK(holds("$title[2] = //b"));
    CHECK(holds("count($title[self::node()]) = 2"));
    CHECK(holds("count($title[. = '1']) = 1"));
    CHECK(holds("$title[position() = last()] = 'b2'"));
    CHECK(holds("a[. = $title]"));
    CHECK(holds("string($title) = '1'"));
    CHECK(holds("sum($title[1]) = 1"));
}
