#include "protocol/bytes/utf8_kernel.hpp"

namespace sluice::bytes {

namespace portable {
extern const Utf8Kernels all_utf8_kernels;
}
#ifdef SLUICE_X86_KERNELS
namespace avx2 {
extern const Utf8Kernels all_utf8_kernels;
}
namespace avx512 {
extern const Utf8Kernels all_utf8_kernels;
}
#endif

const Utf8Kernels& utf8_kernels(simd::InstructionSet set) { return SLUICE_KERNEL(set, all_utf8_kernels); }

const Utf8Kernels& utf8_kernels() {
    static const Utf8Kernels& best = utf8_kernels(simd::best_instruction_set());
    return best;
}

}  // namespace sluice::bytes
