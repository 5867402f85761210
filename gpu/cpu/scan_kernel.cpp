#include "gpu/cpu/scan_kernel.hpp"

namespace sluice {

namespace portable {
#include "gpu/cpu/scan_kernel_loops.hpp"
}

#ifdef SLUICE_X86_KERNELS
namespace avx2 {
template <class Column>
std::size_t scan(const ScanBlock&, const Column*, const std::uint32_t*, std::size_t, ScanHit*);
}
namespace avx512 {
template <class Column>
std::size_t scan(const ScanBlock&, const Column*, const std::uint32_t*, std::size_t, ScanHit*);
}
#endif

InstructionSet best_instruction_set() {
#ifdef SLUICE_X86_KERNELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return InstructionSet::avx512;
    if (__builtin_cpu_supports("avx2")) return InstructionSet::avx2;
#endif
    return InstructionSet::portable;
}

template <class Column>
ScanKernel<Column> scan_kernel([[maybe_unused]] InstructionSet set) {
#ifdef SLUICE_X86_KERNELS
    if (set == InstructionSet::avx512) return avx512::scan<Column>;
    if (set == InstructionSet::avx2) return avx2::scan<Column>;
#endif
    return portable::scan<Column>;
}

template ScanKernel<std::uint16_t> scan_kernel<std::uint16_t>(InstructionSet);
template ScanKernel<std::uint32_t> scan_kernel<std::uint32_t>(InstructionSet);

}  // namespace sluice
