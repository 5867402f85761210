#include <cstdint>

#include "tests/cuda/spoil_context.hpp"

namespace sluice::testing {

namespace {

__global__ void write_to(int* nowhere) { *nowhere = 1; }

}  // namespace

cudaError_t spoil_context() {
    write_to<<<1, 1>>>(reinterpret_cast<int*>(std::uintptr_t{8}));
    return cudaDeviceSynchronize();
}

}  // namespace sluice::testing
