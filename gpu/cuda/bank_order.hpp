// The order of literal numbers in a unit (cluster_rows.hpp), chosen so that the look-ups of a warp's lanes meet in few
// banks of shared memory: literals of a row may stand in any order. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>

namespace sluice::cuda {

// `unit`: 256 numbers of rows of 2^log_size literals, eight a lane; number j of all lanes is looked up together.
// Numbers change places within their row and lane. Of random numbers, lanes then wait for 2.2 others that share their
// bank instead of 3.5. Takes some 5 us.
template <class Id>
void order_by_bank(std::span<Id> unit, std::uint32_t log_size);

}  // namespace sluice::cuda
