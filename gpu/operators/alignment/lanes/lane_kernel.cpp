#include "gpu/operators/alignment/lanes/lane_kernel.hpp"

#include <algorithm>
#include <cstdlib>

namespace sluice::alignment {

ScoreTables::ScoreTables(const Scheme& scheme)
    : gap_first(scheme.gap_first), gap_further(scheme.gap_further), highest(scheme.highest), lowest(scheme.lowest) {
    bytes_fit = highest <= 127 && lowest >= -127 && gap_first <= 127;
    const auto letters = static_cast<std::size_t>(scheme.letters);
    for (auto& row : bytes) row.fill(-128);
    for (std::size_t a = 0; a < letters; ++a) {
        for (std::size_t b = 0; b < letters; ++b)
            bytes[a][b] = static_cast<std::int8_t>(std::clamp<std::int16_t>(scheme.scores[a][b], -128, 127));
    }
}

void ScoreTables::widen(const Scheme& scheme) {
    if (widened) return;
    widened = true;
    const auto letters = static_cast<std::size_t>(scheme.letters);
    for (std::size_t a = 0; a < codes_max; ++a) {
        if (a >= letters && a != null_code) continue;  // no text has it
        for (std::size_t b = 0; b < codes_max; ++b) {
            const int score = std::max(a, b) < letters ? scheme.scores[a][b] : -score_max;
            words[a][b] = static_cast<std::int16_t>(score);
            longs[a][b] = score;
            halves[a][b] = static_cast<std::uint8_t>(score & 0xff);
            halves[a][codes_max + b] = static_cast<std::uint8_t>((score >> 8) & 0xff);
        }
    }
}

LaneKernels lane_kernels_of(InstructionSet set) { return SLUICE_KERNEL(set, lane_kernels()); }

}  // namespace sluice::alignment
