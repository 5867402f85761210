#include "gpu/cuda/clusters/bank_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace sluice::cuda {

namespace {

constexpr std::size_t banks = 32, lanes = 32, lane_ids = 8;

// The number of lanes that look up each bank in each step.
using Loads = std::array<std::array<std::uint8_t, banks>, lane_ids>;

// The time that a look-up adds to its step: little if few others share its bank.
int cost(const Loads& loads, std::size_t step, std::uint32_t id) {
    const int load = loads[step][id % banks];
    return load * load * load;
}

}  // namespace

// Lane by lane, for each group of numbers that may change places: exchanges pairs while that lowers the cost, given the
// order of the lanes before.
template <class Id>
void order_by_bank(std::span<Id> unit, std::uint32_t log_size) {
    Loads loads{};
    const std::size_t group = std::min<std::size_t>(std::size_t{1} << log_size, lane_ids);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::span<Id> ids = unit.subspan(lane * lane_ids, lane_ids);
        for (std::size_t begin = 0; begin < lane_ids; begin += group) {
            bool changed = true;
            for (int round = 0; changed && round < 4; ++round) {
                changed = false;
                for (std::size_t a = begin; a < begin + group; ++a) {
                    for (std::size_t b = a + 1; b < begin + group; ++b) {
                        if (cost(loads, a, ids[b]) + cost(loads, b, ids[a]) >=
                            cost(loads, a, ids[a]) + cost(loads, b, ids[b]))
                            continue;
                        std::swap(ids[a], ids[b]);
                        changed = true;
                    }
                }
            }
        }
        for (std::size_t step = 0; step < lane_ids; ++step) ++loads[step][ids[step] % banks];
    }
}

template void order_by_bank(std::span<std::uint16_t> unit, std::uint32_t log_size);
template void order_by_bank(std::span<std::uint32_t> unit, std::uint32_t log_size);

FirstIds in_bank_order(FirstIds ids) {
    if ((ids[1] - ids[0]) % banks > banks / 2) std::swap(ids[0], ids[1]);
    return ids;
}

// Groups rows by the distance between the banks of their two numbers: 32 rows of one group with different first banks
// also have different second banks. Rows left over when some bank has no more of them are appended in any order.
std::vector<std::uint32_t> order_rows_by_bank(std::span<const FirstIds> rows) {
    std::array<std::array<std::vector<std::uint32_t>, banks>, banks> by_distance;
    for (std::uint32_t i = 0; i < rows.size(); ++i)
        by_distance[(rows[i][1] - rows[i][0]) % banks][rows[i][0] % banks].push_back(i);
    std::vector<std::uint32_t> order;
    order.reserve(rows.size());
    for (auto& by_bank : by_distance) {
        while (std::none_of(by_bank.begin(), by_bank.end(), [](const auto& left) { return left.empty(); })) {
            for (auto& left : by_bank) {
                order.push_back(left.back());
                left.pop_back();
            }
        }
    }
    for (bool more = true; more;) {
        more = false;
        for (auto& by_bank : by_distance) {
            for (auto& left : by_bank) {
                if (left.empty()) continue;
                order.push_back(left.back());
                left.pop_back();
                more = true;
            }
        }
    }
    return order;
}

}  // namespace sluice::cuda
