// Errors of CUDA, by name. Inside gpu/cuda and the operators' .cu files they are exceptions, which are caught where the
// backend meets the rest of the engine. Any thread.
#pragma once

#include <atomic>
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <string>

namespace sluice::cuda {

// what() is "cudaMalloc of 4096 bytes: cudaErrorMemoryAllocation (out of memory)".
class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string& what);

    cudaError_t code() const { return code_; }
    bool out_of_memory() const { return code_ == cudaErrorMemoryAllocation; }

private:
    cudaError_t code_;
};

// For tests of device failures: the hook receives the result and the name of each checked call, and its return value
// replaces the result. Null: no hook. May be called from any thread.
using FaultHook = cudaError_t (*)(cudaError_t code, const char* what);
inline std::atomic<FaultHook> fault_hook = nullptr;

inline void check(cudaError_t code, const char* what) {
    if (const FaultHook hook = fault_hook.load(std::memory_order_relaxed)) code = hook(code, what);
    if (code != cudaSuccess) throw CudaError(code, what);
}
// For kernel launches, which return nothing.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace sluice::cuda
