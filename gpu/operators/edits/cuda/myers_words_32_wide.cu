#include "gpu/operators/edits/cuda/myers_words.cuh"

namespace sluice::edits {

template struct MyersWords<32, std::uint16_t>;  // apart from the other type, since each takes half a minute

}  // namespace sluice::edits
