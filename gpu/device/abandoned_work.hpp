// Work that a thread no longer waits for, since it has not ended in time. It may still run and use any memory of its
// device: until all abandoned work of a device has ended, none of the device's memory, nor the host's that it can
// access, is freed, and none is allocated there. For the process, by device number. Any thread; nothing here blocks.
#pragma once

#include <cuda_runtime_api.h>

namespace sluice::cuda {

// Abandons the work in the stream, which must belong to the calling thread's current device.
void abandon(cudaStream_t stream) noexcept;
// Whether abandoned work still runs. If it has ended, frees what was kept for it.
bool has_abandoned_work(int device) noexcept;
// Calls release(p): now, or when all abandoned work has ended. A negative number is that of no device.
void release_after_work(int device, void* p, cudaError_t (*release)(void*)) noexcept;

}  // namespace sluice::cuda
