#include "gpu/device/error.hpp"

namespace sluice::cuda {

namespace {

std::string describe(cudaError_t code, const std::string& what) {
    return what + ": " + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")";
}

}  // namespace

CudaError::CudaError(cudaError_t code, const std::string& what)
    : std::runtime_error(describe(code, what)), code_(code) {}

}  // namespace sluice::cuda
