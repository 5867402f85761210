// The number of devices for which this folder keeps records.
#pragma once

#include <cstddef>

namespace sluice::cuda {

// Residents, abandoned work and transfers are recorded for this many devices. Devices beyond them are never renewed.
constexpr std::size_t devices_max = 64;

constexpr bool is_counted(int device) { return device >= 0 && static_cast<std::size_t>(device) < devices_max; }

}  // namespace sluice::cuda
