// For tests of the access kernel's set of literals that hold: a block that sets literals and nothing else.
#pragma once

#include <cstdint>
#include <vector>

namespace sluice::testing {

struct EventSet {
    bool left = false;                 // too many literals for the block
    std::vector<std::uint32_t> codes;  // otherwise: those that hold, ascending
};

// By all threads of a block: sets the literals `name 0 exists` … `name count - 1 exists`, each of them twice.
EventSet set_in_block(std::uint32_t count);
// The same in a block whose set is already full, of other literals.
EventSet set_in_full_block(std::uint32_t count);

}  // namespace sluice::testing
