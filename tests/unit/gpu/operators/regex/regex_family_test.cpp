#include "gpu/operators/regex/regex_family.hpp"

#include <catch2/catch.hpp>

#include "gpu/operators/plain_family.hpp"

using namespace sluice;

TEST_CASE("a family of expressions answers as each of them does, and counts") {
    if (!regex_fault("a").empty()) {
        WARN("skipped: " << regex_fault("a"));
        return;
    }
    std::vector<MeasuredPredicate> predicates;
    for (const char* expression : {"a", "^b", "c$", "a.*c", "", "[^a-c]"}) {
        for (const Bounds& bounds : {Bounds{0, 0, true}, Bounds{1, 1}, Bounds{0, 0}, Bounds{0, 1}, Bounds{2, 3}})
            predicates.push_back({{Measure::Kind::matches, expression, "", 0, 0}, bounds});
    }
    const RegexFamily family(predicates);
    const PlainFamily plain(predicates);
    const std::vector<std::string_view> texts = {"", "a", "bc", "abc", "xyz", "cab"};
    std::vector<OperatorFamily::Pair> pairs;
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        for (std::uint32_t p = t % 2; p < predicates.size(); p += 1 + t % 3) pairs.push_back({p, t});
    }
    std::vector<std::uint8_t> holds(pairs.size(), 7), expected(pairs.size(), 8);
    OperatorWork work, plain_work;
    family.evaluate(texts, pairs, holds, work);
    plain.evaluate(texts, pairs, expected, plain_work);
    CHECK(holds == expected);
    CHECK(work.of(Measure::Kind::matches).pairs == pairs.size());
    CHECK(work.of(Measure::Kind::matches).verified == plain_work.of(Measure::Kind::matches).verified);
    family.evaluate(texts, {}, {}, work);
}
