// Counts the bytes that the process has moved between the host and each device. Any thread; nothing here blocks or
// fails.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::cuda {

struct Transfers {
    std::uint64_t to_device = 0, to_host = 0;  // bytes
};

// All so far. Zero for devices beyond devices_max, which are not counted.
Transfers transfers(int device) noexcept;

// Count bytes of the calling thread's current device: copied, or read or written in the host's memory by a kernel.
void count_to_device(std::size_t bytes) noexcept;
void count_to_host(std::size_t bytes) noexcept;
void count_transfers(int device, const Transfers& more) noexcept;

// While it lives, the calling thread's transfers are added to `recorded` and not counted: copies that a graph records
// are made when it is launched.
class RecordedTransfers {
public:
    explicit RecordedTransfers(Transfers& recorded) noexcept;
    RecordedTransfers(const RecordedTransfers&) = delete;
    ~RecordedTransfers();
};

}  // namespace sluice::cuda
