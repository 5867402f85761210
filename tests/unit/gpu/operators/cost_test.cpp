#include "gpu/operators/cost.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice;
using namespace sluice::operators;
using Kind = engine::Measure::Kind;

namespace {

double ns(const engine::Measure& measure, std::size_t text_bytes) { return cost_of(measure).ns(text_bytes); }

}  // namespace

TEST_CASE("costs grow with the text, and with what an operator has to do for each of its bytes") {
    const std::string kilobyte(1000, 'a');
    CHECK(ns({Kind::edit_distance, kilobyte, "unit", 0, 0}, 1000) > ns({Kind::edit_distance, "a", "unit", 0, 0}, 1000));
    CHECK(ns({Kind::edit_distance, kilobyte, "typing", 0, 0}, 1000) >
          10 * ns({Kind::edit_distance, kilobyte, "unit", 0, 0}, 1000));
    CHECK(ns({Kind::align, kilobyte, "dna:1,-3,-5,-2", 0, 0}, 1000) > 1000);
    CHECK(ns({Kind::laminarity, {}, {}, 0.1, 2}, 1000) > 0);
}

TEST_CASE("within the default limits what is usual is far from two seconds, and what is absurd far beyond") {
    const double limit = 2e9;
    CHECK(ns({Kind::approx_distance, "kernel", "unit", 0, 0}, 16u << 20) < limit);
    CHECK(ns({Kind::align, std::string(2000, 'A'), "dna:1,-3,-5,-2", 0, 0}, 1u << 20) < limit);
    CHECK(ns({Kind::align, std::string(50'000, 'A'), "dna:1,-3,-5,-2", 0, 0}, 16u << 20) > 10 * limit);
    CHECK(ns({Kind::edit_distance, std::string(4096, 'A'), "typing", 0, 0}, 16u << 20) > 10 * limit);
}

TEST_CASE("a regular expression costs what its program has instructions") {
    if (!engine::invalid_reason({Kind::matches, "a", {}, 0, 0}).empty()) {
        WARN("no regular expressions in this build");
        return;
    }
    CHECK(ns({Kind::matches, "a+b", {}, 0, 0}, 0) == 0);
    CHECK(ns({Kind::matches, "a+b", {}, 0, 0}, 2000) == 2 * ns({Kind::matches, "a+b", {}, 0, 0}, 1000));
    CHECK(ns({Kind::matches, "(a|b){500}c", {}, 0, 0}, 1000) > 10 * ns({Kind::matches, "a+b", {}, 0, 0}, 1000));
    CHECK(ns({Kind::matches, "(?i)\\b(gpu|graphics)\\b", {}, 0, 0}, 1u << 20) < 1e9);
}
