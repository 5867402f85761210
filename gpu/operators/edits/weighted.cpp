#include "gpu/operators/edits/weighted.hpp"

#include <algorithm>

namespace sluice::edits {

namespace {

// The last row within the bound. Below it every distance exceeds the bound (Ukkonen 1985): distances never fall along a
// diagonal.
std::size_t last_within(const std::vector<std::uint32_t>& column, std::size_t last, std::uint32_t bound) {
    while (last > 0 && column[last] > bound) --last;
    return last;
}

}  // namespace

std::uint32_t weighted_distance(std::u32string_view text, std::u32string_view pattern, const Costs& costs,
                                Extent extent, std::uint32_t bound, std::vector<std::uint32_t>& column) {
    const std::uint32_t deletion = costs.deletion(), insertion = costs.insertion();
    const bool whole = extent == Extent::whole;
    const std::size_t m = pattern.size();
    column.resize(m + 1);
    for (std::size_t i = 0; i <= m; ++i) column[i] = static_cast<std::uint32_t>(i) * deletion;
    std::uint32_t least = column[m];
    if (!whole) bound = std::min(bound, least);
    // Rows 0 … last are correct where they are within the bound; the rows below exceed it.
    std::size_t last = last_within(column, m, bound);
    for (const char32_t c : text) {
        std::uint32_t diagonal = column[0];
        if (whole) column[0] += insertion;
        const std::size_t end = std::min(m, last + 1);
        for (std::size_t i = 1; i <= end; ++i) {
            const std::uint32_t left = i <= last ? column[i] + insertion : ~0u;
            const std::uint32_t substituted = diagonal + costs.substitution(pattern[i - 1], c);
            diagonal = column[i];
            column[i] = std::min({column[i - 1] + deletion, left, substituted});
        }
        last = end;
        while (last < m && column[last] + deletion <= bound) {
            column[last + 1] = column[last] + deletion;
            ++last;
        }
        if (last == m && !whole) {
            least = std::min(least, column[m]);
            if (least == 0) return 0;
        }
        last = last_within(column, last, bound);
        if (whole && last == 0 && column[0] > bound) return bound + 1;
    }
    if (!whole) return least;
    return last == m ? column[m] : bound + 1;
}

}  // namespace sluice::edits
