#include "gpu/operators/memory.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace sluice;
using namespace sluice::operators;
using Kind = engine::Measure::Kind;

namespace {

constexpr std::size_t kib = 1024;

std::size_t bytes(Kind kind, std::string operand, std::string scheme) {
    return operator_bytes({kind, std::move(operand), std::move(scheme), 0, 0});
}

std::string characters(std::size_t n) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i)
        text += {'\xE4', static_cast<char>(0xB8 + i / 64 % 8), static_cast<char>(0x80 + i % 64)};
    return text;
}

}  // namespace

TEST_CASE("what an operator takes grows with its operand") {
    CHECK(bytes(Kind::approx_distance, "kernel", "unit") < 12 * kib);
    CHECK(bytes(Kind::approx_distance, characters(500), "unit") > 50 * kib);
    CHECK(bytes(Kind::approx_distance, characters(500), "unit") >
          bytes(Kind::approx_distance, std::string(500, 'a'), "unit"));
    CHECK(bytes(Kind::edit_distance, characters(500), "typing") < bytes(Kind::edit_distance, characters(500), "unit"));
    CHECK(bytes(Kind::align, std::string(50'000, 'A'), "dna:1,-3,-5,-2") > 250 * kib);
    CHECK(operator_bytes({Kind::laminarity, {}, {}, 0.1, 2}) < 16 * kib);
}

TEST_CASE("a regular expression is charged with the automaton that it may have") {
    if (!engine::invalid_reason({Kind::matches, "a", {}, 0, 0}).empty()) {
        WARN("no regular expressions in this build");
        return;
    }
    CHECK(bytes(Kind::matches, "a+b", {}) > 100 * kib);
    CHECK(bytes(Kind::matches, "a+b", {}) < 256 * kib);
    CHECK(bytes(Kind::matches, "(a|bc){900}d", {}) > 2 * bytes(Kind::matches, "a+b", {}));
    CHECK(bytes(Kind::matches, "(a|bc){900}d", {}) < 1024 * kib);
}
