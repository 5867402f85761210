#include "protocol/filter/evaluator/node_set.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sluice::xpath {

namespace {

constexpr std::size_t sorted_max = 32'768;  // sorting more would delay the meter

// Uses a bit for each number between the least and the greatest.
void sort_by_bits(NodeSet& nodes, Node least, Node greatest, Meter& meter) {
    constexpr Node width = 64;
    std::pmr::vector<std::uint64_t> words((greatest - least) / width + 1, nodes.get_allocator().resource());
    meter.spend(words.size() + nodes.size());
    for (const Node node : nodes) words[(node - least) / width] |= std::uint64_t{1} << (node - least) % width;
    nodes.clear();
    for (std::size_t w = 0; w < words.size(); ++w) {
        for (std::uint64_t word = words[w]; word != 0; word &= word - 1)
            nodes.push_back(least + static_cast<Node>(w) * width + static_cast<Node>(std::countr_zero(word)));
    }
    meter.spend(words.size() + nodes.size());
}

}  // namespace

void sort_nodes(NodeSet& nodes, Meter& meter) {
    meter.read(nodes.size() * sizeof(Node));
    if (std::adjacent_find(nodes.begin(), nodes.end(), std::greater_equal<>()) == nodes.end()) return;
    const auto [least, greatest] = std::minmax_element(nodes.begin(), nodes.end());
    const std::size_t range = *greatest - *least;
    const std::size_t sorting = nodes.size() * static_cast<std::size_t>(std::bit_width(nodes.size()));
    if (nodes.size() > sorted_max || sorting > range / 8 + nodes.size())
        return sort_by_bits(nodes, *least, *greatest, meter);
    meter.spend(sorting);
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace sluice::xpath
