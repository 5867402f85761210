// The context that a process has on a GPU, which holds all its memory, streams and events. An illegal address or a
// similar error corrupts it permanently: every later call fails. Only a new context helps, and it can be made only when
// nothing is left in the old one (renewal.hpp). So every owner of something there counts itself as a Resident. Any
// thread.
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>
#include <utility>

namespace sluice::cuda {

class Resident {
public:
    Resident() = default;
    // Counts a resident of the calling thread's device; to be made before the resource it counts. Throws CudaError
    // while the context is being replaced, or has abandoned work (abandoned_work.hpp).
    static Resident here();

    Resident(Resident&& other) noexcept : device_(std::exchange(other.device_, nobody)) {}
    Resident& operator=(Resident&& other) noexcept {
        std::swap(device_, other.device_);
        return *this;
    }
    ~Resident();

    int device() const { return device_; }  // or -1

private:
    static constexpr int nobody = -1;
    int device_ = nobody;
};

std::size_t residents(int device);

// The lasting error that has corrupted the device's context (lasting_error.hpp), or cudaSuccess. It may first have been
// reported under another name. Does not block.
cudaError_t context_error(int device) noexcept;

// Destroys the device's context. Throws CudaError if it has residents or abandoned work, or if the driver refuses.
void leave_context(int device);

}  // namespace sluice::cuda
