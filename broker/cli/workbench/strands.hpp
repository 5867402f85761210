// The two strands of DNA and RNA. Letters are IUPAC's, those of ambiguity included, in either case. Pure functions; any
// thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace sluice::cli {

// The offset of the first letter that is not a nucleotide; npos: all are.
std::size_t find_foreign_letter(std::string_view sequence);

// The other strand, from its 5' end on. The case of a letter stays; what is not a nucleotide stays, too. A has T across
// from it, or U if the sequence has one.
std::string reverse_complement(std::string_view sequence);

}  // namespace sluice::cli
