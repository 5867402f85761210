// Texts and patterns for measuring exact search: random over {0,1}, {A,C,G,T} and a-z, and English-like (words with
// English letter frequencies, drawn by Zipf's law).
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::substrings {

enum class Alphabet : std::uint8_t { binary, dna, letters, english };
const char* name_of(Alphabet alphabet);

// Returns `bytes` bytes of text.
std::string make_text(Alphabet alphabet, std::size_t bytes, std::uint64_t seed);

// Returns `count` distinct patterns of `shortest` to `longest` bytes, with uniform lengths. Every second one is cut
// from `text`; the others are generated like it.
std::vector<std::string> make_patterns(Alphabet alphabet, std::string_view text, std::size_t count,
                                       std::size_t shortest, std::size_t longest, std::uint64_t seed);

}  // namespace sluice::substrings
