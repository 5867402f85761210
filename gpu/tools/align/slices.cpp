#include "gpu/tools/align/slices.hpp"

#include <numeric>

namespace sluice::alignment {

std::vector<Slice> deal_slices(std::uint32_t blocks, std::span<const unsigned> capacities) {
    const auto all = std::accumulate(capacities.begin(), capacities.end(), std::uint64_t{0});
    const std::uint64_t rounds = all == 0 ? 0 : (blocks + all - 1) / all;
    std::vector<Slice> slices;
    std::uint64_t capacity = 0, first = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        for (unsigned device = 0; device < capacities.size(); ++device) {
            capacity += capacities[device];
            const std::uint64_t end = blocks * capacity / (rounds * all);
            if (end > first)
                slices.push_back({device, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)});
            first = end;
        }
    }
    return slices;
}

}  // namespace sluice::alignment
