// The masks of a batch's literals on the device, as kernels get them. Plain values.
#pragma once

#include <cstdint>

#include "gpu/cuda/clusters/mask_place.hpp"

namespace sluice::cuda {

// masks[mask_at(w, stride, literal)]: bit e says that the literal holds for event 32 * w + e; bits of events that are
// not in the batch are 0. stride is a multiple of 32 and at least the number of literals.
struct MaskView {
    std::uint32_t* masks = nullptr;
    std::uint32_t stride = 0;
};

}  // namespace sluice::cuda
