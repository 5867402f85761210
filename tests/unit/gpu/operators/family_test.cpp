#include "gpu/operators/family.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include "gpu/operators/plain_family.hpp"

using namespace sluice;
using Kind = Measure::Kind;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}

    std::size_t below(std::size_t n) { return engine_() % n; }
    std::string letters(std::string_view alphabet, std::size_t length_max) {
        std::string text;
        for (std::size_t n = below(length_max + 1); n > 0; --n) text += alphabet[below(alphabet.size())];
        return text;
    }
    std::string series() {
        std::string text;
        for (std::size_t n = below(80); n > 0; --n) text += std::to_string(below(4)) + (below(2) == 0 ? " " : ", ");
        return below(10) == 0 ? text + "x" : text;
    }
    // One-sided, two-sided, both ways round, and what no number or every number is in.
    Bounds bounds(double scale) {
        const auto number = [&] { return std::round((static_cast<double>(below(40)) - 8) * scale * 4) / 4; };
        switch (below(8)) {
            case 0:
                return {number(), infinity};
            case 1:
                return {-infinity, number()};
            case 2:
                return {-infinity, std::nextafter(number(), -infinity)};
            case 3:
                return {std::nextafter(number(), infinity), infinity};
            case 4: {
                const double n = number();
                return {n, n, below(2) == 0};
            }
            case 5:
                return {number(), number()};
            case 6:
                return {std::nan(""), std::nan(""), true};
            default:
                return {-infinity, infinity};
        }
    }
    std::string of(const std::vector<std::string>& list) { return list[below(list.size())]; }

private:
    std::mt19937 engine_;
};

std::string text_for(OperatorFamilyKind family, Random& random) {
    switch (family) {
        case OperatorFamilyKind::recurrence:
            return random.series();
        case OperatorFamilyKind::alignment:
            return random.letters(random.below(3) == 0 ? "ARNDCQEGHILK x*" : "acgtACGTUN ", 70);
        default:
            return (random.below(4) == 0 ? "größe日本\xff" : "") + random.letters("abc e", 90);
    }
}

MeasuredPredicate predicate_for(OperatorFamilyKind family, Random& random) {
    switch (family) {
        case OperatorFamilyKind::regex:
            return {{Kind::matches, random.of({"a", "^b", "c$", "a.*c", "[^a-c]", "ö"}), "", 0, 0}, random.bounds(0.1)};
        case OperatorFamilyKind::edits: {
            const Kind kind = random.below(2) == 0 ? Kind::approx_distance : Kind::edit_distance;
            const std::string pattern = text_for(family, random) + "a";
            const std::string costs = random.of({"unit", "unit", "typing", "vowels"});
            return {{kind, pattern, costs, 0, 0}, random.bounds(random.below(2) == 0 ? 0.25 : 2)};
        }
        case OperatorFamilyKind::alignment: {
            const Kind kind = random.below(2) == 0 ? Kind::align : Kind::align_global;
            const std::string scheme = random.of({"dna:1,-3,-5,-2", "dna:5,-1,-2,-1", "blosum62:-11,-1"});
            return {{kind, random.letters("ACGT", 80) + "A", scheme, 0, 0}, random.bounds(2)};
        }
        default: {
            const Kind kind = random.below(2) == 0 ? Kind::laminarity : Kind::determinism;
            const double epsilon = random.below(2) == 0 ? 0.5 : 1.5;
            if (random.below(3) == 0) return {{Kind::recurrence_rate, "", "", epsilon, 0}, random.bounds(0.05)};
            const auto line = static_cast<std::uint32_t>(2 + random.below(random.below(9) == 0 ? 80 : 4));
            return {{kind, "", "", epsilon, line}, random.bounds(0.05)};
        }
    }
}

void compare_with_plain(OperatorFamilyKind kind, Random& random) {
    std::vector<MeasuredPredicate> predicates(1 + random.below(40));
    for (MeasuredPredicate& p : predicates) p = predicate_for(kind, random);
    std::vector<std::string> texts(random.below(8));
    for (std::string& text : texts) text = text_for(kind, random);
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
    for (std::size_t k = 0; k < measure_kinds; ++k) {
        CHECK(work.kinds[k].pairs == plain_work.kinds[k].pairs);
        CHECK(work.kinds[k].holds == plain_work.kinds[k].holds);
        CHECK(work.kinds[k].unreadable == plain_work.kinds[k].unreadable);
    }
    CHECK(family->bytes() > 0);
}

}  // namespace

TEST_CASE("every family answers as the definitions do") {
    const char* const asked = std::getenv("SLUICE_TEST_ROUNDS");
    const int rounds = asked != nullptr ? std::atoi(asked) : 40;
    for (std::size_t f = 0; f < operator_families; ++f) {
        const auto kind = static_cast<OperatorFamilyKind>(f);
        if (kind == OperatorFamilyKind::regex && !fault_of({Kind::matches, "a", "", 0, 0}).empty()) continue;
        INFO("family " << f);
        Random random(static_cast<unsigned>(1 + f));
        for (int i = 0; i < rounds; ++i) compare_with_plain(kind, random);
    }
}
