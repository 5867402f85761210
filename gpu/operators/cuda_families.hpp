// Families on a CUDA device: the operators' device code behind the interface of device_family.hpp. Uses the current
// device of each call, including the making; errors are cuda::CudaError. Only built with CUDA (SLUICE_WITH_CUDA), but
// needs no CUDA header to be used.
#pragma once

#include "gpu/operators/alignment_family.hpp"
#include "gpu/operators/device_family.hpp"
#include "gpu/operators/edits_family.hpp"
#include "gpu/operators/recurrence_family.hpp"

namespace sluice::operators {

std::unique_ptr<DeviceFamily> make_cuda_family(const EditsFamily& family);
std::unique_ptr<DeviceFamily> make_cuda_family(const AlignmentFamily& family);
std::unique_ptr<DeviceFamily> make_cuda_family(const RecurrenceFamily& family, int device);

}  // namespace sluice::operators
