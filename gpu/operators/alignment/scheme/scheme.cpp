#include "gpu/operators/alignment/scheme/scheme.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "gpu/operators/alignment/scheme/blosum.hpp"

namespace sluice::alignment {

namespace {

constexpr std::string_view nucleotide_letters = "ACGTN";  // N stands for every other letter
constexpr Code unknown_nucleotide = 4;
constexpr Code white_space = 255;

// Several gaps of one letter can replace a gap of several letters, so a further letter never costs more than the first.
void set_gaps(Scheme& scheme, int first, int further) {
    scheme.gap_first = first;
    scheme.gap_further = std::min(first, further);
}

Scheme protein(const std::int8_t (&scores)[amino_acid_count][amino_acid_count], int first, int further) {
    Scheme scheme;
    scheme.alphabet = Scheme::Alphabet::protein;
    scheme.letters = amino_acid_count;
    scheme.highest = scheme.lowest = 0;
    for (std::size_t a = 0; a < amino_acid_count; ++a) {
        for (std::size_t b = 0; b < amino_acid_count; ++b) {
            const int score = scores[a][b];  // NOLINT(bugprone-signed-char-misuse): an 8-bit number, not a character
            scheme.scores[a][b] = static_cast<std::int16_t>(score);
            scheme.highest = std::max(scheme.highest, score);
            scheme.lowest = std::min(scheme.lowest, score);
        }
    }
    set_gaps(scheme, first, further);
    return scheme;
}

using CodeTable = std::array<Code, 256>;

CodeTable make_codes(std::string_view letters, Code other) {
    CodeTable codes;
    codes.fill(other);
    for (const char space : std::string_view(" \t\r\n\f\v")) codes[static_cast<unsigned char>(space)] = white_space;
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const char upper = letters[i];
        codes[static_cast<unsigned char>(upper)] = static_cast<Code>(i);
        if (upper >= 'A' && upper <= 'Z') codes[static_cast<unsigned char>(upper - 'A' + 'a')] = static_cast<Code>(i);
    }
    return codes;
}

const CodeTable& codes_of(Scheme::Alphabet alphabet) {
    static const CodeTable dna = [] {
        CodeTable codes = make_codes(nucleotide_letters, unknown_nucleotide);
        codes['U'] = codes['u'] = codes['T'];
        return codes;
    }();
    static const CodeTable protein = make_codes(amino_acids, static_cast<Code>(amino_acids.find('X')));
    return alphabet == Scheme::Alphabet::dna ? dna : protein;
}

std::optional<std::vector<int>> parse_integers(std::string_view list) {
    std::vector<int> numbers;
    for (bool more = true; more;) {
        const std::size_t comma = list.find(',');
        std::string_view item = list.substr(0, comma);
        if (item.starts_with('+')) item.remove_prefix(1);
        int number = 0;
        const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
        if (error != std::errc() || end != item.data() + item.size()) return std::nullopt;
        if (number < -score_max || number > score_max) return std::nullopt;
        numbers.push_back(number);
        more = comma != std::string_view::npos;
        if (more) list.remove_prefix(comma + 1);
    }
    return numbers;
}

ParsedScheme refuse(std::string_view text, const std::string& expected) {
    return {{}, "scheme '" + std::string(text) + "': expected " + expected};
}

}  // namespace

Scheme Scheme::dna(int match, int mismatch, int gap_first, int gap_further) {
    Scheme scheme;
    for (std::size_t a = 0; a <= unknown_nucleotide; ++a) {
        for (std::size_t b = 0; b <= unknown_nucleotide; ++b)
            scheme.scores[a][b] = static_cast<std::int16_t>(a == b && a != unknown_nucleotide ? match : mismatch);
    }
    scheme.highest = match;
    scheme.lowest = mismatch;
    set_gaps(scheme, gap_first, gap_further);
    return scheme;
}

Scheme Scheme::blosum62(int gap_first, int gap_further) { return protein(blosum62_scores, gap_first, gap_further); }
Scheme Scheme::blosum50(int gap_first, int gap_further) { return protein(blosum50_scores, gap_first, gap_further); }

std::vector<Code> Scheme::encode(std::string_view text) const {
    const CodeTable& codes = codes_of(alphabet);
    std::vector<Code> encoded;
    encoded.reserve(text.size());
    for (const char c : text) {
        const Code code = codes[static_cast<unsigned char>(c)];
        if (code != white_space) encoded.push_back(code);
    }
    return encoded;
}

std::int64_t Scheme::score_bound(std::size_t m, std::size_t n) const {
    return std::max(highest, 0) * static_cast<std::int64_t>(std::min(m, n));
}

std::int64_t Scheme::gap_cost(std::size_t length) const {
    return length == 0 ? 0 : gap_first + static_cast<std::int64_t>(length - 1) * gap_further;
}

ParsedScheme parse_scheme(std::string_view written) {
    const std::string limit = ", whole numbers up to " + std::to_string(score_max);
    std::string text;
    for (const char c : written) {
        if (codes_of(Scheme::Alphabet::dna)[static_cast<unsigned char>(c)] == white_space) continue;
        text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    const bool plain = colon == std::string_view::npos;
    const auto numbers = plain ? std::nullopt : parse_integers(std::string_view(text).substr(colon + 1));
    if (name == "dna") {
        if (plain) return {Scheme::dna(), {}};
        if (!numbers || numbers->size() != 4) return refuse(text, "'dna:match,mismatch,first,extend'" + limit);
        const auto& n = *numbers;
        if (n[0] <= 0 || n[1] >= 0) return refuse(text, "a match above 0 and a mismatch below 0");
        if (n[2] == 0 || n[3] == 0) return refuse(text, "gaps that cost something");
        return {Scheme::dna(n[0], n[1], std::abs(n[2]), std::abs(n[3])), {}};
    }
    if (name == "blosum62" || name == "blosum50") {
        const bool is_62 = name == "blosum62";
        if (plain) return {is_62 ? Scheme::blosum62() : Scheme::blosum50(), {}};
        if (!numbers || numbers->size() != 2) return refuse(text, "'" + name + ":first,extend'" + limit);
        const int first = std::abs((*numbers)[0]), further = std::abs((*numbers)[1]);
        if (first == 0 || further == 0) return refuse(text, "gaps that cost something");
        return {is_62 ? Scheme::blosum62(first, further) : Scheme::blosum50(first, further), {}};
    }
    return refuse(text, "'dna', 'blosum62' or 'blosum50', optionally with ':' and numbers");
}

}  // namespace sluice::alignment
