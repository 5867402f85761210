#include "gpu/cpu/segment/cluster_kernel.hpp"

namespace sluice::cpu {

namespace portable {
#include "gpu/cpu/segment/cluster_kernel_loops.hpp"
}

#ifdef SLUICE_X86_KERNELS
namespace avx2 {
template <class Column>
std::size_t match_block(const ClusterBlock&, const Column*, const std::uint32_t*, std::size_t, ClusterHit*);
}
namespace avx512 {
template <class Column>
std::size_t match_block(const ClusterBlock&, const Column*, const std::uint32_t*, std::size_t, ClusterHit*);
}
#endif

template <class Column>
ClusterKernel<Column> cluster_kernel(simd::InstructionSet set) {
    return SLUICE_KERNEL(set, match_block<Column>);
}

template ClusterKernel<std::uint16_t> cluster_kernel<std::uint16_t>(simd::InstructionSet);
template ClusterKernel<std::uint32_t> cluster_kernel<std::uint32_t>(simd::InstructionSet);

}  // namespace sluice::cpu
