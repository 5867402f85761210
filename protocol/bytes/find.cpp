#include "protocol/bytes/find_kernel.hpp"

namespace sluice::bytes {

namespace portable {
extern const FindKernels all_find_kernels;
}
#ifdef SLUICE_X86_KERNELS
namespace avx2 {
extern const FindKernels all_find_kernels;
}
namespace avx512 {
extern const FindKernels all_find_kernels;
}
#endif

const FindKernels& find_kernels(simd::InstructionSet set) { return SLUICE_KERNEL(set, all_find_kernels); }

const FindKernels& find_kernels() {
    static const FindKernels& best = find_kernels(simd::best_instruction_set());
    return best;
}

}  // namespace sluice::bytes
