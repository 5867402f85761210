#include "gpu/operators/measured.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>

#include "gpu/operators/reference.hpp"

using namespace sluice;
using Kind = engine::Measure::Kind;

namespace {

std::string random_text(std::mt19937& random, std::string_view letters, std::size_t length_max) {
    std::string text(random() % (length_max + 1), ' ');
    for (char& c : text) c = letters[random() % letters.size()];
    return text;
}

engine::Measure random_measure(std::mt19937& random) {
    const auto one_of = [&](auto... each) {
        const std::string all[] = {each...};
        return all[random() % sizeof...(each)];
    };
    const auto kind = static_cast<Kind>(random() % engine::measure_kinds);
    switch (kind) {
        case Kind::matches:
            return {kind, one_of("^a", "c.*t", "g+$"), "", 0, 0};
        case Kind::approx_distance:
        case Kind::edit_distance:
            return {kind, "a" + random_text(random, "acgt", 80), one_of("unit", "typing", "vowels"), 0, 0};
        case Kind::align:
        case Kind::align_global:
            return {kind, "a" + random_text(random, "acgt", 80), one_of("dna:1,-3,-5,-2", "blosum62:11,1"), 0, 0};
        default:
            return {kind, "", "", 0.5, kind == Kind::recurrence_rate ? 0 : 2 + static_cast<unsigned>(random() % 3)};
    }
}

}  // namespace

TEST_CASE("a measure of one text is what the definition gives") {
    std::mt19937 random(11);
    for (int i = 0; i < 2'000; ++i) {
        const engine::Measure measure = random_measure(random);
        if (!engine::invalid_reason(measure).empty()) continue;  // not in this build
        const bool is_series = measure.operand.empty();
        const std::string text = random() % 20 == 0 ? ""
                                 : is_series        ? random_text(random, "1234 ", 100) + (random() % 20 ? "1 2" : "x")
                                                    : random_text(random, "acgtACGTn ", 120);
        const double expected = operators::reference_of(measure)(text), found = operators::measured(measure, text);
        INFO("kind " << static_cast<int>(measure.kind) << ", " << measure.operand << " of " << text);
        if (std::isnan(expected))
            CHECK(std::isnan(found));
        else
            CHECK(found == expected);
    }
}
