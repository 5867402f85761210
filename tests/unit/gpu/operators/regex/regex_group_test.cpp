#include "gpu/operators/regex/regex_group.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "tests/support/skip.hpp"

using namespace sluice;

namespace {

class Random {
public:
    std::size_t below(std::size_t n) { return engine_() % n; }
    char letter() { return static_cast<char>('a' + below(4)); }

    // A random expression: its parts first, then its repetition.
    std::string expression(std::size_t depth) {
        static const char* const atoms[] = {".", "[ab]", "[^b-c]", "\\w", "\\b", "ö", "日", "\\pL", "(?i:C)", "\\x00"};
        static const char* const repeated[] = {"", "", "", "*", "+", "?", "{2}", "{1,3}", "*?"};
        std::string e;
        for (std::size_t parts = 1 + below(4); parts > 0; --parts) {
            switch (depth == 0 ? below(5) : below(7)) {
                case 0:
                    e += atoms[below(std::size(atoms))];
                    break;
                case 5:
                    e += "(" + expression(depth - 1) + ")";
                    break;
                case 6:
                    e += "(?:" + expression(depth - 1) + "|" + expression(depth - 1) + ")";
                    break;
                default:
                    e += letter();
                    break;
            }
            if (!e.ends_with("\\b")) e += repeated[below(std::size(repeated))];
        }
        return (below(8) == 0 ? "^" : "") + e + (below(8) == 0 ? "$" : "");
    }
    // Many automaton states, so that a set does not pay.
    std::string explosive() { return letter() + ("[ab]{" + std::to_string(3 + below(20))) + "}" + letter(); }
    std::string text() {
        std::string text(below(60), 'x');
        for (char& c : text) c = letter();
        if (below(10) == 0) text += "\xff\xc3ö日C";
        if (below(20) == 0) text += std::string("\0b", 2);
        return text;
    }

private:
    std::mt19937 engine_{7};
};

// Asks a group of 300 texts: long enough that its set is made, tried and judged. The pairs of text and expression.
std::size_t compare(Random& random, bool explosive, std::size_t& held) {
    regex::RegexGroup group;
    std::vector<std::string> expressions;
    std::vector<std::shared_ptr<const regex::Regex>> alone;
    while (expressions.size() < regex::RegexGroup::expressions_max) {
        const std::string e = explosive ? random.explosive() : random.expression(2);
        INFO(e);
        REQUIRE(regex::regex_fault(e).empty());
        expressions.push_back(e);
        group.add(e);
        alone.push_back(regex::compile_regex(e));
    }
    CHECK(group.size() == regex::RegexGroup::expressions_max);
    std::size_t pairs = 0;
    for (int round = 0; round < 300; ++round) {
        const std::string text = random.text();
        std::vector<std::uint32_t> asked;
        for (std::uint32_t i = 0; i < expressions.size(); ++i) {
            if (random.below(round % 2 == 0 ? 2 : 20) == 0) asked.push_back(i);
        }
        std::vector<std::uint8_t> found(asked.size(), 7);
        group.find(text, asked, found);
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const bool expected = alone[asked[i]]->found_in(text);
            held += expected;
            if (found[i] == (expected ? 1 : 0)) continue;
            FAIL(expressions[asked[i]] << " in " << text << ": " << int(found[i]));
        }
        pairs += asked.size();
    }
    return pairs;
}

}  // namespace

TEST_CASE("a group finds what its expressions find, before and after it has a set") {
    if (!regex::regex_fault("a").empty()) {
        sluice::testing::skip(regex::regex_fault("a"));
        return;
    }
    const char* const asked = std::getenv("SLUICE_TEST_ROUNDS");
    Random random;
    std::size_t pairs = 0, held = 0;
    for (int round = 0; round < (asked != nullptr ? std::atoi(asked) : 2); ++round)
        pairs += compare(random, round % 8 == 1, held);
    CHECK(held > 0);
    CHECK(held < pairs);
    if (asked != nullptr) WARN(pairs << " pairs of an expression and a text, " << held << " found");
}
