// The loops of this folder, compiled with the instruction set in this file's name.
#include "protocol/bytes/count_blocks.hpp"
#include "protocol/bytes/find_blocks.hpp"
#include "protocol/bytes/utf8_blocks.hpp"
#include "protocol/bytes/vector_avx2.hpp"
#include "protocol/bytes/vector_avx512.hpp"

namespace sluice::bytes::avx512 {

namespace {

template <class Rule>
std::size_t prefix_in_widest(const char* text, std::size_t size) {
    return size < Bytes64::width ? prefix_in_blocks<Rule, Bytes32>(text, size)
                                 : prefix_in_blocks<Rule, Bytes64>(text, size);
}

}  // namespace

extern const CountKernels all_count_kernels = count_kernels_of<Bytes64>;
extern const FindKernels all_find_kernels = find_kernels_of<Bytes64>;
extern const Utf8Kernels all_utf8_kernels{prefix_in_widest<Utf8>, prefix_in_widest<XmlUtf8>};

}  // namespace sluice::bytes::avx512
