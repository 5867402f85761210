#include "protocol/bytes/find_blocks.hpp"
#include "protocol/bytes/vector_avx512.hpp"

namespace sluice::bytes::avx512 {

extern const FindKernels all_find_kernels = find_kernels_of<Bytes64>;

}  // namespace sluice::bytes::avx512
