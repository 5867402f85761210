#include "gpu/operators/edits/reference.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/operators/edits/characters.hpp"

namespace sluice::edits {

namespace {

// Computes the matrix column by column; `whole`: whether the pattern must match the text from beginning to end.
std::uint32_t distance(std::string_view text, std::string_view pattern, const Costs& costs, bool whole) {
    const std::u32string x = characters(pattern), y = characters(text);
    std::vector<std::uint32_t> column(x.size() + 1);
    for (std::size_t i = 0; i <= x.size(); ++i) column[i] = static_cast<std::uint32_t>(i) * costs.deletion();
    std::uint32_t least = column.back();
    for (const char32_t c : y) {
        std::uint32_t diagonal = column[0];
        if (whole) column[0] += costs.insertion();
        for (std::size_t i = 1; i <= x.size(); ++i) {
            const std::uint32_t left = column[i];
            column[i] = std::min({column[i - 1] + costs.deletion(), left + costs.insertion(),
                                  diagonal + costs.substitution(x[i - 1], c)});
            diagonal = left;
        }
        least = std::min(least, column.back());
    }
    return whole ? column.back() : least;
}

}  // namespace

std::uint32_t approx_distance(std::string_view text, std::string_view pattern, const Costs& costs) {
    return distance(text, pattern, costs, false);
}

std::uint32_t edit_distance(std::string_view text, std::string_view pattern, const Costs& costs) {
    return distance(text, pattern, costs, true);
}

}  // namespace sluice::edits
