// The families on a CUDA device: what they make of the operators' device code, behind the seam of device_family.hpp.
// The current device is used, at the time of making and of every call; errors are cuda::CudaError. Only built with
// CUDA (SLUICE_WITH_CUDA), but needs no CUDA header to be used.
#pragma once

#include "gpu/operators/alignment_family.hpp"
#include "gpu/operators/device_family.hpp"
#include "gpu/operators/edits_family.hpp"
#include "gpu/operators/recurrence_family.hpp"

namespace sluice {

// Unit costs; other cost tables stay with the CPU.
std::unique_ptr<DeviceFamily> make_cuda_family(const EditsFamily& family);
std::unique_ptr<DeviceFamily> make_cuda_family(const AlignmentFamily& family);
// Exact values for lines of 2, and all that is sampled.
std::unique_ptr<DeviceFamily> make_cuda_family(const RecurrenceFamily& family, int device);

}  // namespace sluice
