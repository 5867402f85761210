// The context that a process has on a GPU, which holds all its memory, streams and events. An illegal address or a
// similar error corrupts it permanently: every later call fails. Only a new context helps, and it can be made only when
// nothing is left in the old one. So every owner of something there counts itself as a Resident. Any thread.
#pragma once

#include <cstddef>
#include <utility>

namespace sluice::cuda {

class Resident {
public:
    Resident() = default;
    // Counts a resident of the calling thread's device; to be made before the resource it counts. Throws CudaError
    // while the context is being replaced.
    static Resident here();

    Resident(Resident&& other) noexcept : device_(std::exchange(other.device_, nobody)) {}
    Resident& operator=(Resident&& other) noexcept {
        std::swap(device_, other.device_);
        return *this;
    }
    ~Resident();

private:
    static constexpr int nobody = -1;
    int device_ = nobody;
};

std::size_t residents(int device);

// Makes the device usable: does nothing if it already is, else gives it a new context. Throws CudaError if residents
// remain in the old one, if the driver refuses a new one, or if the device still fails.
void renew_context(int device);

}  // namespace sluice::cuda
