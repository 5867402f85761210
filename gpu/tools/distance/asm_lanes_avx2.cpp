// Compiled with the instruction set in its name; see asm_lanes.hpp.
#include "gpu/tools/distance/asm.hpp"
#include "gpu/tools/distance/asm_lanes.hpp"

namespace sluice::edits::avx2 {

namespace {

#include "gpu/tools/distance/asm_loops.hpp"

}  // namespace

std::uint32_t o_asm(const AsmJob& job) { return job.unit ? diagonals<true>(job) : diagonals<false>(job); }
std::uint32_t w_scan(const AsmJob& job) { return job.unit ? scan<true>(job) : scan<false>(job); }
std::uint32_t w_shuffle(const AsmJob& job) { return job.unit ? shuffle<true>(job) : shuffle<false>(job); }

}  // namespace sluice::edits::avx2
