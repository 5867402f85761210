#include "protocol/bytes/count_blocks.hpp"
#include "protocol/bytes/vector_avx2.hpp"

namespace sluice::bytes::avx2 {

extern const CountKernels all_count_kernels = count_kernels_of<Bytes32>;

}  // namespace sluice::bytes::avx2
