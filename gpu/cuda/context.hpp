// The context that a process has on a GPU, in which all its memory, streams and events are. An illegal address or the
// like spoils it for good: every call fails from then on. Only a new context helps, and it can be made only when
// nothing lives in the old one. So whatever owns something there counts itself as a Resident. Any thread.
#pragma once

#include <cstddef>
#include <utility>

namespace sluice::cuda {

class Resident {
public:
    Resident() = default;
    // One of the calling thread's device, to be made before what it stands for. Throws CudaError while the context is
    // made anew.
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

// Makes the device usable: does nothing if it is, else gives it a new context. Throws CudaError if somebody still lives
// in the old one, and if the driver refuses a new one or the device fails all the same.
void renew_context(int device);

}  // namespace sluice::cuda
