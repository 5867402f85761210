#include "gpu/operators/substrings/filter_kernel.hpp"

namespace sluice::substrings {

namespace portable {
extern const FilterKernels filter_kernels;
}
#ifdef SLUICE_X86_KERNELS
namespace avx2 {
extern const FilterKernels filter_kernels;
}
namespace avx512 {
extern const FilterKernels filter_kernels;
}
#endif

const FilterKernels& filter_kernels(simd::InstructionSet set) { return SLUICE_KERNEL(set, filter_kernels); }

}  // namespace sluice::substrings
