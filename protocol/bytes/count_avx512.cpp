#include "protocol/bytes/count_blocks.hpp"
#include "protocol/bytes/vector_avx512.hpp"

namespace sluice::bytes::avx512 {

extern const CountKernels all_count_kernels = count_kernels_of<Bytes64>;

}  // namespace sluice::bytes::avx512
