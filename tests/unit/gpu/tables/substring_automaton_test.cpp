#include "gpu/tables/substring_automaton.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

using namespace sluice;

namespace {

std::set<std::string> found(const std::vector<std::string>& patterns, std::string_view text) {
    TextTable table;
    std::vector<std::uint32_t> indices;
    for (const std::string& pattern : patterns) indices.push_back(table.intern(0, pattern));
    const SubstringAutomaton automaton(table, indices);
    std::set<std::string> result;
    automaton.scan(table, text, [&](std::uint32_t i) { result.emplace(table.text(i)); });
    return result;
}

std::set<std::string> expected(const std::vector<std::string>& patterns, std::string_view text) {
    std::set<std::string> result;
    for (const std::string& pattern : patterns) {
        if (text.find(pattern) != std::string_view::npos) result.insert(pattern);
    }
    return result;
}

}  // namespace

TEST_CASE("substring automaton: patterns inside patterns") {
    const std::vector<std::string> patterns = {"he", "she", "his", "hers", "e", "rs", "ush"};
    for (const char* text : {"", "h", "ushers", "hishe", "xyz", "hehehe"}) {
        CAPTURE(text);
        CHECK(found(patterns, text) == expected(patterns, text));
    }
}

TEST_CASE("substring automaton: any bytes") {
    const std::vector<std::string> patterns = {std::string("\0a", 2), "\xff\xfe", "é", "日本"};
    const std::string text = std::string("x\0a", 3) + "日本é\xff";
    CHECK(found(patterns, text) == expected(patterns, text));
}

TEST_CASE("substring automaton: patterns longer than the automaton is deep") {
    const std::string long_a(100, 'a');
    const std::vector<std::string> patterns = {
        long_a, long_a + "b", long_a + "c", std::string(64, 'a'), std::string(63, 'a'), "b" + long_a};
    for (const std::string& text : {long_a, long_a + "c", "xx" + long_a + "b", std::string(64, 'a'), long_a + long_a})
        CHECK(found(patterns, text) == expected(patterns, text));
}

TEST_CASE("substring automaton: as find() says, at random") {
    std::mt19937 random(1);
    const auto text = [&](std::size_t size) {
        std::string s(size, 'a');
        for (char& c : s) c = static_cast<char>('a' + random() % 3);
        return s;
    };
    for (int round = 0; round < 100; ++round) {
        std::set<std::string> patterns;
        for (int i = 0; i < 60; ++i) patterns.insert(text(1 + random() % 7));
        const std::vector<std::string> list(patterns.begin(), patterns.end());
        const std::string haystack = text(random() % 60);
        REQUIRE(found(list, haystack) == expected(list, haystack));
    }
}
