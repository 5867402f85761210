#include "gpu/operators/family.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "gpu/operators/make_family.hpp"
#include "tests/unit/gpu/operators/plain_family.hpp"
#include "tests/unit/gpu/operators/random_families.hpp"

using namespace sluice;
using namespace sluice::operators;
using namespace sluice::test;
using Kind = engine::Measure::Kind;

namespace {

void compare_with_plain(OperatorFamilyKind kind, FamilyRandom& random) {
    std::vector<MeasuredPredicate> predicates(1 + random.below(40));
    for (MeasuredPredicate& p : predicates) p = predicate_for(kind, random);
    std::vector<std::string> texts(random.below(8));
    for (std::string& text : texts) text = text_for(kind, random);
    for (MeasuredPredicate& p : predicates) {
        if (!texts.empty() && random.below(4) == 0) p = near(random.of(texts), p, random);
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    std::vector<OperatorFamily::Pair> pairs;
    for (std::uint32_t t = 0; t < texts.size(); ++t) {
        for (std::uint32_t p = 0; p < predicates.size(); ++p) {
            if (random.below(3) != 0) pairs.push_back({p, t});
        }
    }
    const auto family = make_family(kind, predicates);
    const PlainFamily plain(predicates);
    std::vector<std::uint8_t> holds(pairs.size(), 7), expected(pairs.size(), 8);
    OperatorWork work, plain_work;
    family->evaluate(views, pairs, holds, work);
    plain.evaluate(views, pairs, expected, plain_work);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (holds[i] == expected[i]) continue;
        const MeasuredPredicate& p = predicates[pairs[i].predicate];
        FAIL(int(p.measure.kind) << " of '" << p.measure.operand << "' " << p.measure.scheme << " " << p.measure.epsilon
                                 << " " << p.measure.line_min << " within " << p.bounds.lo << " … " << p.bounds.hi
                                 << " outside " << p.bounds.outside << " is " << int(holds[i]) << " for '"
                                 << texts[pairs[i].text] << "'");
    }
    for (std::size_t k = 0; k < engine::measure_kinds; ++k) {
        CHECK(work.kinds[k].texts == plain_work.kinds[k].texts);
        CHECK(work.kinds[k].pairs == plain_work.kinds[k].pairs);
        CHECK(work.kinds[k].holds == plain_work.kinds[k].holds);
        CHECK(work.kinds[k].unreadable == plain_work.kinds[k].unreadable);
    }
}

}  // namespace

TEST_CASE("every family answers as the definitions do") {
    const char* const asked = std::getenv("SLUICE_TEST_ROUNDS");
    const int rounds = asked != nullptr ? std::atoi(asked) : 40;
    for (std::size_t f = 0; f < operator_families; ++f) {
        const auto kind = static_cast<OperatorFamilyKind>(f);
        if (kind == OperatorFamilyKind::regex && !engine::invalid_reason({Kind::matches, "a", "", 0, 0}).empty())
            continue;
        INFO("family " << f);
        FamilyRandom random(static_cast<unsigned>(1 + f));
        for (int i = 0; i < rounds; ++i) compare_with_plain(kind, random);
    }
}

TEST_CASE("pairs that are too long are no work for a device") {
    const std::string_view text("ACGT"), too_long(text.data(), std::size_t{1} << 31);  // nobody reads it
    const std::vector<std::string_view> texts{text, too_long};
    const std::vector<OperatorFamily::Pair> one{{0, 0}}, both{{0, 0}, {0, 1}};
    for (const engine::Measure& measure : {engine::Measure{Kind::align, "ACG", "dna", 0, 0},
                                           engine::Measure{Kind::approx_distance, "ACG", "unit", 0, 0}}) {
        const auto family = make_family(family_of(measure.kind), {{measure, {0, 1}}});
        CHECK(family->device_cells(texts, one) == 12);
        CHECK(family->device_cells(texts, both) == 12);
    }
}
