// How a series becomes the vectors whose distances are compared: time-delay embedding and the norm, as PyRQA defines
// them. Plain values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sluice::recurrence {

enum class Norm : std::uint8_t { euclidean, maximum, taxicab };  // all the same in one dimension

// Vector i is x[i], x[i + delay], …, x[i + (dimension - 1) * delay]. The Theiler window takes the diagonals
// |i - j| < theiler out of the diagonal lines, and out of nothing else.
struct Embedding {
    std::size_t dimension = 1;
    std::size_t delay = 1;
    Norm norm = Norm::euclidean;
    std::size_t theiler = 1;

    // Vectors of a series of that many points; 0 where it is too short for one.
    std::size_t vectors(std::size_t points) const {
        const std::size_t reach = (dimension - 1) * delay;
        return points > reach ? points - reach : 0;
    }
};

}  // namespace sluice::recurrence
