// The instruction sets that inner loops are compiled for, and which of them this processor has. All loops of a process
// use the same one. Any thread.
#pragma once

#include <cstdint>
#include <span>

namespace sluice::simd {

// avx2: with BMI2 (Haswell, Zen and later). avx512: F, BW, DQ, VL, VBMI, VBMI2 and VPOPCNTDQ (Ice Lake, Zen 4 and
// later); a processor that lacks one of these counts as avx2.
enum class InstructionSet : std::uint8_t { portable, avx2, avx512 };

// The sets that this processor has and this build was compiled for, the best last; never empty.
std::span<const InstructionSet> instruction_sets();

// The best set, or a lesser one chosen by the environment: SLUICE_ISA is portable, avx2 or avx512; other values are
// ignored. Always returns the same answer.
InstructionSet best_instruction_set();

const char* name_of(InstructionSet set);

}  // namespace sluice::simd

// SLUICE_KERNEL(set, name): portable::name, avx2::name or avx512::name, according to the set, which must be one of
// instruction_sets().
#ifdef SLUICE_X86_KERNELS
#define SLUICE_KERNEL(set, name)                                  \
    ((set) == sluice::simd::InstructionSet::avx512 ? avx512::name \
     : (set) == sluice::simd::InstructionSet::avx2 ? avx2::name   \
                                                   : portable::name)
#else
#define SLUICE_KERNEL(set, name) (static_cast<void>(set), portable::name)
#endif
