// Random tables of costs.
#pragma once

#include <string>

#include "gpu/operators/edits/costs.hpp"
#include "tests/differential/random.hpp"

namespace sluice::edits {

// Not symmetric, and some substitutions are free.
inline CostMatrix random_matrix(Random& random, std::string characters) {
    CostMatrix matrix;
    matrix.deletion = static_cast<std::uint8_t>(1 + random.below(random.chance(20) ? 255 : 5));
    matrix.insertion = static_cast<std::uint8_t>(1 + random.below(5));
    matrix.other = static_cast<std::uint8_t>(random.below(8));
    matrix.characters = std::move(characters);
    const std::size_t n = matrix.characters.size();
    for (std::size_t i = 0; i < n * n; ++i)
        matrix.substitution.push_back(static_cast<std::uint8_t>(i % (n + 1) == 0 ? 0 : random.below(8)));
    return matrix;
}

}  // namespace sluice::edits
