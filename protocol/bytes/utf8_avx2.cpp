#include "protocol/bytes/utf8_blocks.hpp"
#include "protocol/bytes/vector_avx2.hpp"

namespace sluice::bytes::avx2 {

extern const Utf8Kernels all_utf8_kernels{prefix_in_blocks<Utf8, Bytes32>, prefix_in_blocks<XmlUtf8, Bytes32>};

}  // namespace sluice::bytes::avx2
