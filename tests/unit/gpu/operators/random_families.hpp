// Random predicates of the families of operators, and texts for them: short and long, empty, not ASCII, damaged. One
// thread.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/operators/family.hpp"
#include "gpu/operators/reference.hpp"
#include "tests/support/seed.hpp"

namespace sluice::test {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

class FamilyRandom {
public:
    explicit FamilyRandom(unsigned seed) : engine_(static_cast<unsigned>(testing::seed(seed))) {}

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
    // One-sided and two-sided bounds, both ways round, and bounds that accept no number or every number.
    operators::Bounds bounds(double scale) {
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

inline std::string text_for(operators::OperatorFamilyKind family, FamilyRandom& random) {
    switch (family) {
        case operators::OperatorFamilyKind::recurrence:
            return random.series();
        case operators::OperatorFamilyKind::alignment:
            return random.letters(random.below(3) == 0 ? "ARNDCQEGHILK x*" : "acgtACGTUN ", 70);
        default:
            return (random.below(4) == 0 ? "größe日本\xff" : "") + random.letters("abc e", 90);
    }
}

inline operators::MeasuredPredicate predicate_for(operators::OperatorFamilyKind family, FamilyRandom& random) {
    switch (family) {
        case operators::OperatorFamilyKind::regex:
            return {{engine::Measure::Kind::matches, random.of({"a", "^b", "c$", "a.*c", "[^a-c]", "ö"}), "", 0, 0},
                    random.bounds(0.1)};
        case operators::OperatorFamilyKind::edits: {
            const engine::Measure::Kind kind =
                random.below(2) == 0 ? engine::Measure::Kind::approx_distance : engine::Measure::Kind::edit_distance;
            const std::string pattern = text_for(family, random) + "a";
            const std::string costs = random.of({"unit", "unit", "typing", "vowels"});
            return {{kind, pattern, costs, 0, 0}, random.bounds(random.below(2) == 0 ? 0.25 : 2)};
        }
        case operators::OperatorFamilyKind::alignment: {
            const engine::Measure::Kind kind =
                random.below(2) == 0 ? engine::Measure::Kind::align : engine::Measure::Kind::align_global;
            const std::string scheme = random.of({"dna:1,-3,-5,-2", "dna:5,-1,-2,-1", "blosum62:-11,-1"});
            return {{kind, random.letters("ACGT", 80) + "A", scheme, 0, 0}, random.bounds(2)};
        }
        default: {
            const engine::Measure::Kind kind =
                random.below(2) == 0 ? engine::Measure::Kind::laminarity : engine::Measure::Kind::determinism;
            const double epsilon = random.below(2) == 0 ? 0.5 : 1.5;
            if (random.below(3) == 0)
                return {{engine::Measure::Kind::recurrence_rate, "", "", epsilon, 0}, random.bounds(0.05)};
            const auto line = static_cast<std::uint32_t>(2 + random.below(random.below(9) == 0 ? 80 : 4));
            return {{kind, "", "", epsilon, line}, random.bounds(0.05)};
        }
    }
}

// A predicate whose bounds are at or next to the measure of the text.
inline operators::MeasuredPredicate near(std::string_view text, operators::MeasuredPredicate predicate,
                                         FamilyRandom& random) {
    const double measure = operators::reference_of(predicate.measure)(text);
    if (std::isnan(measure)) return predicate;
    const double least = measure == std::floor(measure) ? 1 : 1e-9;
    const double bound = measure + (static_cast<double>(random.below(3)) - 1) * least;
    predicate.bounds = random.below(2) == 0 ? operators::Bounds{bound, infinity} : operators::Bounds{-infinity, bound};
    return predicate;
}

}  // namespace sluice::test
