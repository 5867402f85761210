#include "protocol/bytes/find_blocks.hpp"
#include "protocol/bytes/vector_avx2.hpp"

namespace sluice::bytes::avx2 {

extern const FindKernels all_find_kernels = find_kernels_of<Bytes32>;

}  // namespace sluice::bytes::avx2
