// The order of literal numbers in a unit (cluster_rows.hpp), chosen so that the look-ups of a warp's lanes meet in few
// banks of shared memory: literals of a row may stand in any order. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::cuda {

// `unit`: 256 numbers of rows of 2^log_size literals, eight a lane; number j of all lanes is looked up together.
// Numbers change places within their row and lane. Of random numbers, lanes then wait for 2.2 others that share their
// bank instead of 3.5. Takes some 5 us.
template <class Id>
void order_by_bank(std::span<Id> unit, std::uint32_t log_size);

// The first two literal numbers of a row.
using FirstIds = std::array<std::uint32_t, 2>;
// The same, so that the second's bank is at most 16 behind the first's.
FirstIds in_bank_order(FirstIds ids);
// An order of rows of up to four literals, as indexes: of each 32 neighbours, which lanes look up together, nearly all
// have their first number in a bank of its own, and the second likewise. `rows` are in_bank_order(). Then lanes of rows
// of two literals are 1.1 to a bank instead of 2.8.
std::vector<std::uint32_t> order_rows_by_bank(std::span<const FirstIds> rows);

}  // namespace sluice::cuda
