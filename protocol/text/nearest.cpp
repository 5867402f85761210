#include "protocol/text/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sluice {

namespace {

// Levenshtein's distance, row by row.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replace = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replace, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string_view nearest(std::string_view wrong, std::span<const std::string_view> known) {
    constexpr std::size_t name_bytes_max = 64;
    std::string_view best;
    if (wrong.size() > name_bytes_max) return best;
    std::size_t best_distance = std::max<std::size_t>(2, wrong.size() / 3) + 1;
    for (const std::string_view name : known) {
        const std::size_t distance = edit_distance(wrong, name);
        if (distance >= best_distance || distance >= name.size()) continue;
        best = name;
        best_distance = distance;
    }
    return best;
}

}  // namespace sluice
