#include "gpu/operators/reference.hpp"

#include <catch2/catch.hpp>

#include "gpu/operators/family.hpp"

using namespace sluice;
using Kind = Measure::Kind;

TEST_CASE("each kind of measure is computed from its members") {
    struct Case {
        Measure measure;
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
    };
    for (const Case& c : cases) {
        INFO(c.measure.operand << " of " << c.text);
        if (const std::string fault = fault_of(c.measure); !fault.empty()) {
            WARN("skipped: " << fault);
            continue;
        }
        CHECK(reference_of(c.measure)(c.text) == c.value);
    }
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
