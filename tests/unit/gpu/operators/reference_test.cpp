#include "gpu/operators/reference.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "gpu/operators/family.hpp"
#include "tests/support/skip.hpp"

using namespace sluice;
using namespace sluice::operators;
using Kind = engine::Measure::Kind;

TEST_CASE("each kind of measure is computed from its members") {
    struct Case {
        engine::Measure measure;
        const char* text;
        double value;
    };
    const Case cases[] = {
        {{Kind::matches, "^a+b", "", 0, 0}, "aabc", 1},
        {{Kind::matches, "^a+b", "", 0, 0}, "caab", 0},
        {{Kind::approx_distance, "abc", "unit", 0, 0}, "xxabdxx", 1},
        {{Kind::approx_distance, "ab", "vowels", 0, 0}, "xx", 3},
        {{Kind::edit_distance, "größe", "unit", 0, 0}, "grosse", 3},
        {{Kind::edit_distance, "abc", "typing", 0, 0}, "", 6},
        {{Kind::align, "TTACGTT", "dna:1,-3,-5,-2", 0, 0}, "GGacgGG", 3},
        {{Kind::align, "HEAGAWGHEE", "blosum50:-8,-8", 0, 0}, "PAWHEAE", 28},
        {{Kind::align_global, "HEAGAWGHEE", "blosum50:-8,-8", 0, 0}, "PAWHEAE", 1},
        {{Kind::align_global, "ACGT", "dna:1,-3,-5,-2", 0, 0}, "", -11},
        {{Kind::recurrence_rate, "", "", 0.5, 0}, "1 2, 1; 2", 0.5},
        {{Kind::laminarity, "", "", 0.5, 2}, "1 1 2 2", 1},
        {{Kind::determinism, "", "", 0.5, 3}, "1 2 1 2", 0},
    };
    for (const Case& c : cases) {
        INFO(c.measure.operand << " of " << c.text);
        if (const std::string fault = engine::invalid_reason(c.measure); !fault.empty()) {
            sluice::testing::skip(fault);
            continue;
        }
        CHECK(reference_of(c.measure)(c.text) == c.value);
    }
}

TEST_CASE("a text that is no series has no measure") {
    for (const Kind kind : {Kind::laminarity, Kind::determinism, Kind::recurrence_rate}) {
        const MeasureFunction measure = reference_of({kind, "", "", 0.5, 2});
        for (const char* text : {"", " ", "a", "1 2 x", "1,,2", "nan"}) CHECK(std::isnan(measure(text)));
        CHECK_FALSE(std::isnan(measure("1 2 1")));
    }
}

TEST_CASE("a scheme that is none is a fault") {
    CHECK(engine::invalid_reason({Kind::align, "ACGT", "dna:1,-3,-5,-2", 0, 0}).empty());
    CHECK(engine::invalid_reason({Kind::align, "ACGT", "pam", 0, 0}).starts_with("expected a scheme: "));
}

TEST_CASE("bounds") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(Bounds{1, 2}.accept(1));
    CHECK(Bounds{1, 2}.accept(2));
    CHECK_FALSE(Bounds{1, 2}.accept(2.5));
    CHECK(Bounds{1, 2, true}.accept(2.5));
    CHECK_FALSE(Bounds{1, 2, true}.accept(1.5));
    CHECK_FALSE(Bounds{nan, nan}.accept(1));
    CHECK(Bounds{nan, nan, true}.accept(1));
}
