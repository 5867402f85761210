// The loops of this folder, compiled with the instruction set in this file's name.
#include "protocol/bytes/count_blocks.hpp"
#include "protocol/bytes/find_blocks.hpp"
#include "protocol/bytes/utf8_blocks.hpp"
#include "protocol/bytes/vector_avx2.hpp"

namespace sluice::bytes::avx2 {

extern const CountKernels all_count_kernels = count_kernels_of<Bytes32>;
extern const FindKernels all_find_kernels = find_kernels_of<Bytes32>;
extern const Utf8Kernels all_utf8_kernels{prefix_in_blocks<Utf8, Bytes32>, prefix_in_blocks<XmlUtf8, Bytes32>};

}  // namespace sluice::bytes::avx2
