#include "protocol/bytes/count_kernel.hpp"

namespace sluice::bytes {

namespace portable {
extern const CountKernels all_count_kernels;
}
#ifdef SLUICE_X86_KERNELS
namespace avx2 {
extern const CountKernels all_count_kernels;
}
namespace avx512 {
extern const CountKernels all_count_kernels;
}
#endif

const CountKernels& count_kernels(simd::InstructionSet set) { return SLUICE_KERNEL(set, all_count_kernels); }

const CountKernels& count_kernels() {
    static const CountKernels& best = count_kernels(simd::best_instruction_set());
    return best;
}

}  // namespace sluice::bytes
