// The inner loops of unit-cost matching on the CPU: Myers' bit-vectors (Journal of the ACM 46, 1999) in the form of
// Hyyrö (2003), one pattern per lane, all against one text. Compiled for several instruction sets; the best one that
// the processor supports is chosen at run time. Pure functions, callable from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/simd/instruction_set.hpp"

namespace sluice::edits {

using simd::InstructionSet;

enum class Extent : std::uint8_t { substring, whole };

// The patterns of a MatchTable from its lane first_lane on (or the one of a PlaceList), and the text: n classes, as
// bytes if all are below 256.
template <class Word>
struct MyersTask {
    using Distance = std::make_signed_t<Word>;

    const Word* table;  // of the first lane
    const std::uint32_t* row_of;
    // For gathering_kernel(), in place of the table: a PlaceList, and a row of zeros in which to build rows.
    const std::uint32_t* place_begin = nullptr;
    const std::uint32_t* places = nullptr;
    Word padding = 0;
    Word* row = nullptr;
    const Word* inside;  // of the first lane
    std::size_t stride;  // the table's lanes
    std::size_t words;
    const std::uint8_t* bytes;  // the text, or null if it is in `classes`
    const std::uint32_t* classes;
    std::size_t n;
    Extent extent;
    // Substrings only: whether the first distance within the bound decides a lane, or the least distance is wanted.
    bool decide;
    const Distance* length;  // [lane]: the pattern's characters
    // [lane]: greater distances do not matter; negative: none does.
    const Distance* bound;
    // [lane]. On entry: `length`, or bound + 1 if that is less. On return: the distance if it is within the bound. With
    // `decide`, any value from the distance to the bound.
    Distance* least;
    Word* state;              // [2 * words * lanes]: scratch space
    std::size_t columns = 0;  // out: the number of characters read
    std::size_t blocks = 0;   // out: the number of words computed per lane
};

// The number of vectors that advance together.
enum class Width : std::uint8_t { one, two, four };

template <class Word>
struct MyersKernel {
    std::size_t lanes;  // the number of patterns it takes
    void (*run)(MyersTask<Word>&);
};

// For std::uint32_t (patterns of up to 32 characters) and std::uint64_t. The portable kernels have one lane per vector.
template <class Word>
MyersKernel<Word> myers_kernel(InstructionSet set, Width width);

// Matches one pattern of two words or more by a PlaceList.
MyersKernel<std::uint64_t> gathering_kernel();

}  // namespace sluice::edits
