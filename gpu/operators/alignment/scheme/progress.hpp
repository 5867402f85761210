// How the functions that align one pair report their progress to the caller and let it end the work.
#pragma once

#include <cstdint>
#include <functional>

namespace sluice::alignment {

// Receives the number of cells done since the last call. Ends the work by returning false.
using Progress = std::function<bool(std::uint64_t cells)>;

}  // namespace sluice::alignment
