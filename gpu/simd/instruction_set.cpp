#include "gpu/simd/instruction_set.hpp"

#include <array>
#include <cstdlib>
#include <string_view>

namespace sluice::simd {

namespace {

constexpr std::array all_sets{InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512};

bool is_usable([[maybe_unused]] InstructionSet set) {
#ifdef SLUICE_X86_KERNELS
    if (set == InstructionSet::avx2) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    if (set == InstructionSet::avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
               __builtin_cpu_supports("avx512vpopcntdq") && is_usable(InstructionSet::avx2);
#endif
    return set == InstructionSet::portable;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
    static const std::size_t usable = [] {
        std::size_t n = 1;
        while (n < all_sets.size() && is_usable(all_sets[n])) ++n;
        return n;
    }();
    return std::span(all_sets).first(usable);
}

InstructionSet best_instruction_set() {
    static const InstructionSet best = [] {
        const char* const wanted = std::getenv("SLUICE_ISA");
        for (const InstructionSet set : instruction_sets())
            if (wanted != nullptr && std::string_view(wanted) == name_of(set)) return set;
        return instruction_sets().back();
    }();
    return best;
}

const char* name_of(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx2:
            return "avx2";
        case InstructionSet::avx512:
            return "avx512";
        case InstructionSet::portable:
            break;
    }
    return "portable";
}

}  // namespace sluice::simd
