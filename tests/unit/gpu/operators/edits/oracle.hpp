// edlib's answers, and random texts to ask about. edlib handles bytes only: characters are numbered for it, so a pair
// may have at most 256 different ones.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <edlib.h>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gpu/operators/edits/characters.hpp"
#include "tests/differential/random.hpp"

namespace sluice::edits {

// EDLIB_MODE_HW for substrings, EDLIB_MODE_NW for whole texts.
inline std::uint32_t edlib_distance(std::string_view text, std::string_view pattern, EdlibAlignMode mode) {
    std::map<char32_t, char> numbers;
    const auto numbered = [&numbers](std::string_view utf8) {
        std::string bytes;
        for (const char32_t c : characters(utf8))
            bytes.push_back(numbers.try_emplace(c, static_cast<char>(numbers.size())).first->second);
        return bytes;
    };
    const std::string x = numbered(pattern), y = numbered(text);
    if (numbers.size() > 256) throw std::logic_error("edlib knows 256 characters");
    const EdlibAlignConfig config = edlibNewAlignConfig(-1, mode, EDLIB_TASK_DISTANCE, nullptr, 0);
    const EdlibAlignResult result =
        edlibAlign(x.data(), static_cast<int>(x.size()), y.data(), static_cast<int>(y.size()), config);
    const int distance = result.editDistance;
    edlibFreeAlignResult(result);
    if (distance < 0) throw std::logic_error("edlib found no distance");
    return static_cast<std::uint32_t>(distance);
}

// The number of rounds of a random test: SLUICE_TEST_ROUNDS, or `quick`.
inline std::size_t test_rounds(std::size_t quick) {
    const char* wanted = std::getenv("SLUICE_TEST_ROUNDS");
    return wanted == nullptr ? quick : std::stoul(wanted);
}

inline const std::u32string random_alphabets[] = {U"ab",
                                                  U"ACGT",
                                                  U"abcdefghijklmnopqrstuvwxyz",
                                                  U"eeeettaaooinshr  d,.",
                                                  U"aäßλж漢😀é",
                                                  U"QWERTYqwertyasdfgzxcvb 1234"};

inline std::string utf8_of(std::u32string_view codes) {
    std::string bytes;
    for (const char32_t c : codes) {
        const auto put = [&bytes](char32_t value) { bytes.push_back(static_cast<char>(value)); };
        if (c < 0x80) {
            put(c);
        } else if (c < 0x800) {
            put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {
            put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
        } else {
            put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
        }
    }
    return bytes;
}

inline std::u32string random_codes(Random& random, std::size_t length, std::u32string_view alphabet) {
    std::u32string codes;
    for (std::size_t i = 0; i < length; ++i) codes.push_back(random.pick(alphabet));
    return codes;
}

// Changes, inserts and removes some characters, so that a pattern cut from a text is near it.
inline std::u32string mutated(Random& random, std::u32string codes, std::size_t edits, std::u32string_view alphabet) {
    for (; edits > 0; --edits) {
        const std::size_t at = random.below(codes.size() + 1);
        const std::size_t kind = random.below(3);
        if (kind == 0) {
            codes.insert(codes.begin() + static_cast<std::ptrdiff_t>(at), random.pick(alphabet));
        } else if (at < codes.size()) {
            if (kind == 1) codes[at] = random.pick(alphabet);
            if (kind == 2) codes.erase(at, 1);
        }
    }
    return codes;
}

struct RandomPair {
    std::string text, pattern;
};

// Favours lengths around the end of a word; half of the patterns come from the text.
inline RandomPair random_pair(Random& random, std::size_t text_max, std::size_t pattern_max) {
    constexpr std::size_t edges[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025};
    const std::u32string_view alphabet = random.pick(random_alphabets);
    const auto length = [&](std::size_t most) {
        const std::size_t edge = random.pick(edges);
        return random.chance(30) && edge <= most ? edge : random.below(most + 1);
    };
    const std::u32string text = random_codes(random, length(text_max), alphabet);
    const std::size_t m = length(pattern_max);
    if (random.chance(50) || text.empty()) return {utf8_of(text), utf8_of(random_codes(random, m, alphabet))};
    const std::size_t begin = random.below(text.size());
    return {utf8_of(text), utf8_of(mutated(random, text.substr(begin, m), random.below(6), alphabet))};
}

}  // namespace sluice::edits
