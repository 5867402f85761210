#include "gpu/operators/substrings/filter_kernel_portable.hpp"

namespace sluice::substrings::portable {

extern const FilterKernels filter_kernels{portable_grams, portable_bytes};

}  // namespace sluice::substrings::portable
