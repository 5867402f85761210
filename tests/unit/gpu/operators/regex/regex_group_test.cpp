#include "gpu/operators/regex/regex_group.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace sluice;

// Long enough that the set is made, tried and judged, with texts for which it is good and for which it is not.
TEST_CASE("a group finds what its expressions find, before and after it has a set") {
    if (!regex_fault("a").empty()) {
        WARN("skipped: " << regex_fault("a"));
        return;
    }
    for (const bool explosive : {false, true}) {
        std::mt19937 random(7);
        const auto letter = [&] { return static_cast<char>('a' + random() % 4); };
        std::vector<std::string> expressions;
        for (std::size_t i = 0; i < RegexGroup::expressions_max; ++i) {
            std::string e = {letter(), letter(), '.', '*', letter(), letter()};
            if (explosive) e = std::string{letter()} + "[ab]{" + std::to_string(3 + i % 20) + "}" + letter();
            if (i % 7 == 0) e = "^" + e;
            expressions.push_back(e);
        }
        RegexGroup group;
        std::vector<std::shared_ptr<const Regex>> alone;
        for (const std::string& e : expressions) {
            group.add(e);
            alone.push_back(compile_regex(e));
        }
        CHECK(group.size() == RegexGroup::expressions_max);
        CHECK(group.bytes() > 0);
        for (int round = 0; round < 300; ++round) {
            std::string text(random() % 60, 'x');
            for (char& c : text) c = letter();
            if (round % 10 == 0) text += "\xff\xc3é";
            std::vector<std::uint32_t> asked;
            for (std::uint32_t i = 0; i < expressions.size(); ++i) {
                if (random() % (round % 2 == 0 ? 2 : 20) == 0) asked.push_back(i);
            }
            std::vector<std::uint8_t> found(asked.size(), 7);
            group.find(text, asked, found);
            for (std::size_t i = 0; i < asked.size(); ++i) {
                INFO(expressions[asked[i]] << " in " << text);
                REQUIRE(found[i] == (alone[asked[i]]->found_in(text) ? 1 : 0));
            }
        }
    }
}
