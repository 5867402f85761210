#include "gpu/cpu/scan_kernel.hpp"

namespace sluice {

namespace portable {
#include "gpu/cpu/scan_kernel_loops.hpp"
}

template <class Column>
ScanKernel<Column> scan_kernel() {
    return portable::scan<Column>;
}

template ScanKernel<std::uint16_t> scan_kernel<std::uint16_t>();
template ScanKernel<std::uint32_t> scan_kernel<std::uint32_t>();

}  // namespace sluice
