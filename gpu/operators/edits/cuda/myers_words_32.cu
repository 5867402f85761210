#include "gpu/operators/edits/cuda/myers_words.cuh"

namespace sluice::edits {

template struct MyersWords<32, std::uint8_t>;  // and myers_words_32_wide.cu

}  // namespace sluice::edits
