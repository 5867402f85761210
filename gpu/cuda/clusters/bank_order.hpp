// Orders the literal numbers in a unit (cluster_layout.hpp) so that a warp's look-ups rarely meet in one bank of shared
// memory. The literals of a row may be in any order. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice::cuda {

// `unit`: 256 numbers of rows of 2^log_size literals, eight per lane; number j of all lanes is looked up at the same
// time. Numbers change places only within their row and lane. For random numbers, a lane then shares its bank with 2.2
// others instead of 3.5. Takes some 5 us.
template <class Id>
void order_by_bank(std::span<Id> unit, std::uint32_t log_size);

// The first two literal numbers of a row.
using FirstIds = std::array<std::uint32_t, 2>;
// The same numbers, ordered so that the second's bank is at most 16 after the first's.
FirstIds in_bank_order(FirstIds ids);
// An order of rows of up to four literals, as indexes. Among each 32 neighbours, which lanes look up at the same time,
// nearly all first numbers are in different banks, and so are the second ones. `rows` are in_bank_order(). For rows of
// two literals, a bank then has 1.1 look-ups instead of 2.8.
std::vector<std::uint32_t> order_rows_by_bank(std::span<const FirstIds> rows);

}  // namespace sluice::cuda
