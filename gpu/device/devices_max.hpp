// The number of devices for which this folder keeps records.
#pragma once

#include <cstddef>

namespace sluice::cuda {

// Residents and abandoned work are recorded for this many devices. Devices beyond them are never renewed.
constexpr std::size_t devices_max = 64;

}  // namespace sluice::cuda
