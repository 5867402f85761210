// Compiled with the instruction set of its name; see cluster_kernel_loops.hpp.
#include "gpu/cpu/segment/cluster_kernel.hpp"

namespace sluice::cpu::avx2 {

#include "gpu/cpu/segment/cluster_kernel_loops.hpp"

template std::size_t match_block<std::uint16_t>(const ClusterBlock&, const std::uint16_t*, const std::uint32_t*,
                                                std::size_t, ClusterHit*);
template std::size_t match_block<std::uint32_t>(const ClusterBlock&, const std::uint32_t*, const std::uint32_t*,
                                                std::size_t, ClusterHit*);

}  // namespace sluice::cpu::avx2
