// How two sequences are scored: the letters, the score of each pair of letters, and the costs of gaps. A gap of k
// letters costs first + (k - 1) * further, as parasail, EMBOSS and Biopython count it (BLAST and FASTA write open =
// first - further). Values; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::alignment {

// One code a letter. Below Scheme::letters, except `null_code`, which no text contains: padding of the kernels.
using Code = std::uint8_t;
using Codes = std::span<const Code>;

constexpr std::size_t codes_max = 32;
constexpr Code null_code = 31;
// Of a letter pair or a gap letter; a scheme with a larger one is refused.
constexpr int score_max = 1000;

enum class Mode { local, global };  // Smith-Waterman, Needleman-Wunsch

struct Scheme {
    enum class Alphabet { dna, protein };

    Alphabet alphabet = Alphabet::dna;
    int letters = 5;
    std::array<std::array<std::int16_t, codes_max>, codes_max> scores{};  // [letter][letter], symmetric
    int gap_first = 5, gap_further = 2;                                   // both positive; first >= further
    int highest = 1, lowest = -3;                                         // of `scores`

    // DNA: A, C, G and T match themselves, U is T. Any other letter matches nothing, not even itself.
    static Scheme dna(int match = 1, int mismatch = -3, int gap_first = 5, int gap_further = 2);
    // The 24 letters of NCBI's matrices; any other letter counts as X.
    static Scheme blosum62(int gap_first = 11, int gap_further = 1);
    static Scheme blosum50(int gap_first = 13, int gap_further = 2);

    // Upper and lower case are the same; white space is skipped (texts come with line breaks).
    std::vector<Code> encode(std::string_view text) const;
    // The letter of a code, as encode() reads it.
    char letter(Code code) const;

    // The best that sequences of these lengths can reach: all letters of the shorter one match.
    std::int64_t score_bound(std::size_t m, std::size_t n) const;
    std::int64_t gap_cost(std::size_t length) const;
};

// What parse_scheme gives: a scheme, or why the text is none.
struct ParsedScheme {
    Scheme scheme;
    std::string error;  // empty: none
};

// "dna" (+1/-3, first gap letter 5, further 2), "dna:match,mismatch,first,further", "blosum62",
// "blosum62:first,further", and "blosum50" likewise, in either case and with white space. Costs of gaps may be written
// with a minus (-5) or without. Whole numbers up to score_max; the match above 0, the mismatch below, gaps not 0.
ParsedScheme parse_scheme(std::string_view text);

}  // namespace sluice::alignment
