// The inner loop of align_many(), compiled for several instruction sets: lane_loops.hpp is the loop, and kernels_*.cpp
// have the vectors.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/operators/alignment/scheme/instruction_set.hpp"
#include "gpu/operators/alignment/scheme/scheme.hpp"

namespace sluice::alignment {

// For each letter of a text, its scores with every letter of a query, in each lane width: 8 bits from the start, the
// wider ones after widen().
struct ScoreTables {
    explicit ScoreTables(const Scheme& scheme);
    void widen(const Scheme& scheme);

    alignas(64) std::array<std::array<std::int8_t, 64>, codes_max> bytes{};
    alignas(64) std::array<std::array<std::int16_t, codes_max>, codes_max> words{};
    alignas(64) std::array<std::array<std::uint8_t, 2 * codes_max>, codes_max> halves{};  // of words: low, then high
    alignas(64) std::array<std::array<std::int32_t, codes_max>, codes_max> longs{};
    int gap_first, gap_further, highest, lowest;
    bool bytes_fit;  // scores and gaps fit lanes of 8 bits
    bool widened = false;
};

constexpr std::size_t lanes_max = 64;

// One text against as many queries as there are lanes.
struct LaneTask {
    const ScoreTables* tables;
    Mode mode;
    const Code* text;
    std::size_t text_length;
    const Code* queries;                          // [row][lane], null_code below a query's end
    std::size_t rows;                             // of the longest query
    const std::uint32_t* lengths;                 // [lane]
    const std::int32_t* thresholds;               // [lane], or null: scores are wanted
    std::array<std::int32_t, lanes_max>* scores;  // output; with thresholds, only says whether they are reached
    void* state;                                  // 2 * rows vectors of 64 bytes, aligned
};

// Returns false if it stopped because many lanes exceeded their range.
using LaneKernel = bool (*)(const LaneTask&);

// One local alignment, striped. Starts after `column` columns and runs until `stop` columns are done, the threshold is
// reached, or a score might exceed the lanes. In the last case wider lanes continue from there.
struct StripedTask {
    const ScoreTables* tables = nullptr;
    int letters = 0;
    const Code* query = nullptr;
    std::size_t rows = 0;
    const Code* text = nullptr;
    std::size_t text_length = 0, stop = 0;
    std::int32_t threshold = 0;               // above 0
    bool places = false;                      // whether to find where the best score ends
    void* state = nullptr;                    // state_bytes() bytes, aligned
    std::int32_t *h = nullptr, *e = nullptr;  // [row]: the column's H and the next one's E; written unless done()

    // Input and output.
    std::size_t column = 0;
    std::int32_t best = 0;
    std::uint32_t query_end = 0, text_end = 0;  // letters up to where the best score ends, if `places`

    bool done() const { return column == text_length || best >= threshold; }
    static std::size_t state_bytes(std::size_t rows, int letters) {
        return (rows + lanes_max) * sizeof(std::int32_t) * static_cast<std::size_t>(4 + letters);
    }
};

// `scores[l] >= limit` means that lane l may have exceeded its range.
struct LaneWidth {
    LaneKernel run = nullptr;
    std::size_t lanes = 0;
    std::int32_t limit = 0;
    void (*striped)(StripedTask&) = nullptr;  // null in the portable set
};

struct LaneKernels {
    LaneWidth bytes, words, longs;  // bytes: none in the portable set; local alignments only
};

// The kernels of an instruction set that the processor supports.
LaneKernels lane_kernels_of(InstructionSet set);

namespace portable {
LaneKernels lane_kernels();
}
namespace avx2 {
LaneKernels lane_kernels();
}
namespace avx512 {
LaneKernels lane_kernels();
}

}  // namespace sluice::alignment
