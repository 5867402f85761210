// All occurrences by std::string_view::find, which define what the finders of occurrences must find, and random texts
// and patterns to compare them on. For tests.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "gpu/tools/search/occurrences.hpp"
#include "tests/support/seed.hpp"

namespace sluice::substrings {

// Those that begin before text[begins], ascending by position, then by pattern.
inline std::vector<Occurrence> naive_occurrences(const std::vector<std::string>& patterns, std::string_view text,
                                                 std::size_t begins) {
    std::vector<Occurrence> all;
    for (std::uint32_t p = 0; p < patterns.size(); ++p) {
        for (std::size_t at = text.find(patterns[p]); at < begins; at = text.find(patterns[p], at + 1))
            all.push_back({p, static_cast<std::uint32_t>(at)});
    }
    std::sort(all.begin(), all.end(), [](const Occurrence& a, const Occurrence& b) {
        return std::pair(a.position, a.pattern) < std::pair(b.position, b.pattern);
    });
    return all;
}

inline std::vector<Pattern> as_patterns(const std::vector<std::string>& texts) {
    std::vector<Pattern> patterns;
    for (const std::string& text : texts) patterns.push_back({text});
    return patterns;
}

// Whether the finder finds these, in each of the forms that can be wanted.
inline bool finds(OccurrenceFinder& finder, std::string_view text, std::size_t begins,
                  const std::vector<Occurrence>& expected) {
    FoundOccurrences found;
    if (!finder.find(text, begins, Wanted::number, found)) return false;
    if (found.number != expected.size() || !found.list.empty()) return false;
    if (!finder.find(text, begins, Wanted::ascending, found)) return false;
    if (found.number != expected.size() || found.list != expected) return false;
    if (!finder.find(text, begins, Wanted::any_order, found)) return false;
    std::sort(found.list.begin(), found.list.end());
    auto sorted = expected;
    std::sort(sorted.begin(), sorted.end());
    return found.number == expected.size() && found.list == sorted;
}

// A text over an alphabet of 1, 2, 4, 26 or 256 letters, and patterns of it: cut from it, prefixes of each other, and
// others.
struct RandomOccurrences {
    std::string text;
    std::vector<std::string> patterns;  // distinct, not empty

    RandomOccurrences(std::mt19937_64& random, std::size_t longest_text, std::size_t most_patterns) {
        static constexpr unsigned alphabets[] = {1, 2, 4, 26, 256};
        const unsigned letters = alphabets[random() % 5];
        const auto any_text = [&](std::size_t size) {
            std::string any(size, '\0');
            for (char& c : any)
                c = static_cast<char>(letters == 256 ? random() % 256 : (letters > 4 ? 'a' : '0') + random() % letters);
            return any;
        };
        const std::size_t size_max = letters <= 2 ? longest_text / 10 : longest_text;  // few letters: many occurrences
        text = any_text(1 + random() % size_max);
        std::set<std::string> distinct;
        const std::size_t count =
            1 + random() % (letters == 1 ? std::min<std::size_t>(most_patterns, 20) : most_patterns);
        while (distinct.size() < count) {
            const std::size_t size = 1 + random() % (random() % 8 == 0 ? 200 : 24);
            std::string pattern = random() % 3 == 0 ? any_text(size) : text.substr(random() % text.size(), size);
            if (random() % 3 == 0) distinct.insert(pattern.substr(0, 1 + random() % pattern.size()));
            distinct.insert(std::move(pattern));
        }
        patterns.assign(distinct.begin(), distinct.end());
        std::shuffle(patterns.begin(), patterns.end(), random);
    }
};

// Texts and patterns that are hard to get right, the same for each kind of finder.
struct OccurrenceEdge {
    std::vector<std::string> patterns;
    std::string text;
};
inline std::vector<OccurrenceEdge> occurrence_edges() {
    const std::string long_text = std::string(9000, 'a') + "needle" + std::string(9000, 'b');
    return {
        {{"a"}, "a"},
        {{"a", "b"}, "b"},
        {{"abc"}, "ab"},
        {{"ana", "anan", "a", "banana", "bananas"}, "banana"},
        {{"aaa", "aa", "a", "aaaa", "aaaaa", std::string(64, 'a'), std::string(65, 'a')}, std::string(64, 'a')},
        {{"0", "01", "010", "0101", "1", "10", "101"}, "01011010110101"},
        {{"needle", "ab", "aneedleb", std::string(1000, 'a') + "n", "ban"}, long_text},
        {{"caf\xc3\xa9", "\xc3\xa9", "\xa9", "\xff", "\xff\xfe"}, "un caf\xc3\xa9 noir \xff\xff\xfe"},
        {{std::string("\0", 1), std::string("\0\0", 2), std::string("x\0y", 3)}, std::string("ax\0yb\0\0\0", 8)},
    };
}

}  // namespace sluice::substrings
