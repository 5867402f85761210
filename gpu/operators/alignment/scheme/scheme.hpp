// How two sequences are scored: the letters, the score of each pair of letters, and the gap costs. A gap of k letters
// costs first + (k - 1) * further, as in parasail, EMBOSS and Biopython (for BLAST and FASTA, open = first - further).
// Plain values, usable from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::alignment {

// One code per letter, below Scheme::letters. The exception is `null_code`: padding for kernels, in no text.
using Code = std::uint8_t;
using Codes = std::span<const Code>;

constexpr std::size_t codes_max = 32;
constexpr Code null_code = 31;
// The largest absolute score of a letter pair or cost of a gap letter; parse_scheme() rejects larger ones.
constexpr int score_max = 1000;
// Less than any score, with room for adding costs to it.
constexpr std::int32_t minus_infinity = -(1 << 30);

enum class Mode { local, global };  // Smith-Waterman, Needleman-Wunsch

struct Scheme {
    enum class Alphabet { dna, protein };

    Alphabet alphabet = Alphabet::dna;
    int letters = 5;
    std::array<std::array<std::int16_t, codes_max>, codes_max> scores{};  // [letter][letter], symmetric
    int gap_first = 5, gap_further = 2;                                   // both positive; first >= further
    int highest = 1, lowest = -3;                                         // of `scores`

    // DNA: A, C, G and T match themselves; U is read as T. Any other letter matches nothing, not even itself.
    static Scheme dna(int match = 1, int mismatch = -3, int gap_first = 5, int gap_further = 2);
    // The 24 letters of NCBI's matrices; any other letter counts as X.
    static Scheme blosum62(int gap_first = 11, int gap_further = 1);
    static Scheme blosum50(int gap_first = 13, int gap_further = 2);

    // Upper and lower case are equivalent; white space is skipped (texts come with line breaks).
    std::vector<Code> encode(std::string_view text) const;

    // The highest score of sequences of these lengths: all letters of the shorter one match.
    std::int64_t score_bound(std::size_t m, std::size_t n) const;
    std::int64_t gap_cost(std::size_t length) const;
};

// The result of parse_scheme(): a scheme, or why the text is not one.
struct ParsedScheme {
    Scheme scheme;
    std::string error;  // empty on success
};

// Accepts "dna" (+1/-3, first gap letter 5, each further one 2), "dna:match,mismatch,first,extend", "blosum62",
// "blosum62:first,extend", and likewise "blosum50". Case and white space are ignored. Gap costs may be written with or
// without a minus (-5). Numbers are whole and at most score_max; the match is above 0, the mismatch below 0, and gap
// costs are not 0.
ParsedScheme parse_scheme(std::string_view text);

}  // namespace sluice::alignment
