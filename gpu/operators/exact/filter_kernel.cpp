#include "gpu/operators/exact/filter_kernel.hpp"

#include <vector>

#include "gpu/operators/exact/filter_kernel_portable.hpp"

namespace sluice::exact {

#ifdef SLUICE_X86_KERNELS
extern const FilterKernels avx2_filter_kernels, avx512_filter_kernels;
#endif

std::span<const FilterKernels> filter_kernels() {
    static const std::vector<FilterKernels> usable = [] {
        std::vector<FilterKernels> kernels{{"portable", portable_grams, portable_bytes}};
#ifdef SLUICE_X86_KERNELS
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) kernels.push_back(avx2_filter_kernels);
        if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512vbmi2"))
            kernels.push_back(avx512_filter_kernels);
#endif
        return kernels;
    }();
    return usable;
}

}  // namespace sluice::exact
