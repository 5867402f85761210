#include "broker/cli/workbench/strands.hpp"

#include <algorithm>

namespace sluice::cli {

namespace {

constexpr std::string_view nucleotides = "ACGTURYSWKMBDHVNacgturyswkmbdhvn";
constexpr std::string_view complements = "TGCAAYRSWMKVHDBNtgcaayrswmkvhdbn";
static_assert(nucleotides.size() == complements.size());

}  // namespace

std::size_t find_foreign_letter(std::string_view sequence) { return sequence.find_first_not_of(nucleotides); }

std::string reverse_complement(std::string_view sequence) {
    const bool is_rna = sequence.find_first_of("Uu") != std::string_view::npos;
    std::string strand(sequence.rbegin(), sequence.rend());
    for (char& letter : strand) {
        const std::size_t at = nucleotides.find(letter);
        if (is_rna && (letter == 'A' || letter == 'a'))
            letter = letter == 'A' ? 'U' : 'u';
        else if (at != std::string_view::npos)
            letter = complements[at];
    }
    return strand;
}

}  // namespace sluice::cli
