// Converts encoded sequences to the letters that other libraries read.
#pragma once

#include <string>
#include <string_view>

#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

// The inverse of Scheme::encode().
inline std::string letters_of(const Scheme& scheme, Codes codes) {
    constexpr std::string_view nucleotides = "ACGTN", amino_acids = "ARNDCQEGHILKMFPSTWYVBZX*";
    std::string text;
    for (const auto code : codes) text += (scheme.alphabet == Scheme::Alphabet::dna ? nucleotides : amino_acids)[code];
    return text;
}

}  // namespace sluice::alignment
