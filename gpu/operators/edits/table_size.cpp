#include "gpu/operators/edits/table_size.hpp"

#include <algorithm>

#include "gpu/operators/edits/class_map.hpp"
#include "gpu/operators/edits/place_list.hpp"

namespace sluice::edits {

// Up to three times the pattern's own table is added for lanes that a group leaves unused and for the rows of its
// neighbours' characters. Short patterns always have neighbours.
std::size_t table_bytes_max(PatternSize p) {
    constexpr std::size_t least = std::size_t{8} << 10, surplus_max = std::size_t{256} << 10;
    if (is_listed(p))
        return PlaceList::bytes_of(p) + ClassMap::bytes_of(p.distinct) +
               pattern_words(p.characters) * sizeof(std::uint64_t);
    const std::size_t own = dense_bytes(p);
    return std::max(least, own + std::min(3 * own, surplus_max));
}

std::vector<std::uint32_t> distinct_of(std::span<const std::uint32_t> classes) {
    std::vector<std::uint32_t> distinct(classes.begin(), classes.end());
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    distinct.shrink_to_fit();
    return distinct;
}

}  // namespace sluice::edits
