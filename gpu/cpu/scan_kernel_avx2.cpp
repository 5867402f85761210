// Compiled with the instruction set of its name; see scan_kernel_loops.hpp.
#include "gpu/cpu/scan_kernel.hpp"

namespace sluice::avx2 {

#include "gpu/cpu/scan_kernel_loops.hpp"

template std::size_t scan<std::uint16_t>(const ScanBlock&, const std::uint16_t*, const std::uint32_t*, std::size_t,
                                         ScanHit*);
template std::size_t scan<std::uint32_t>(const ScanBlock&, const std::uint32_t*, const std::uint32_t*, std::size_t,
                                         ScanHit*);

}  // namespace sluice::avx2
