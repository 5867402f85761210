// The inner loops of unit-cost matching on the CPU: Myers' bit-vectors (Journal of the ACM 46, 1999) as Hyyrö (2003)
// has them, one pattern a lane, all against one text. Compiled for several instruction sets; the best one that the
// processor has is chosen at run time. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/cpu/scan_kernel.hpp"

namespace sluice::approximate {

enum class Extent : std::uint8_t { substring, whole };

// Patterns first_lane … of a MatchTable, and the text: n classes, as bytes if all are below 256.
template <class Word>
struct MyersTask {
    using Distance = std::make_signed_t<Word>;

    const Word* table;  // of the first lane
    const std::uint32_t* row_of;
    const Word* inside;  // of the first lane
    std::size_t stride;  // the table's lanes
    std::size_t words;
    const std::uint8_t* bytes;  // or null, and
    const std::uint32_t* classes;
    std::size_t n;
    Extent extent;
    // Substrings: whether the first distance within its bound decides a lane, or the least is wanted.
    bool decide;
    const Distance* length;  // [lane]: the pattern's characters
    // [lane]: greater distances are of no interest; negative: none is.
    const Distance* bound;
    // [lane]: in: length, or bound + 1 if that is less. Out: the distance, if it is within the bound; if lanes are
    // decided, any that is within the bound and at least the distance.
    Distance* least;
    Word* state;              // [2 * words * lanes]: to work in
    std::size_t columns = 0;  // out: how many characters were looked at
    std::size_t blocks = 0;   // out: how many words of each lane were computed
};

// How many vectors of lanes advance together.
enum class Width : std::uint8_t { one, two, four };

template <class Word>
struct MyersKernel {
    std::size_t lanes;  // how many patterns it takes
    void (*run)(MyersTask<Word>&);
};

// For std::uint32_t (patterns of up to 32 characters) and std::uint64_t. A set above the best one is not to be asked
// for. The portable ones have one lane a vector.
template <class Word>
MyersKernel<Word> myers_kernel(InstructionSet set, Width width);

// The best that this processor can do and this build has: AVX-512 with VBMI2, AVX2, or neither.
InstructionSet best_myers_instruction_set();

}  // namespace sluice::approximate
