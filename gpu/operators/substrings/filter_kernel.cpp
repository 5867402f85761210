#include "gpu/operators/substrings/filter_kernel.hpp"

#include "gpu/operators/substrings/filter_kernel_portable.hpp"

namespace sluice::substrings {

namespace portable {
constexpr FilterKernels filter_kernels{portable_grams, portable_bytes};
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
