#include "gpu/operators/edits/cuda/myers_words.cuh"

namespace sluice::edits {

template struct MyersWords<4, std::uint8_t>;
template struct MyersWords<4, std::uint16_t>;

}  // namespace sluice::edits
