#include "protocol/text/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sluice::text {

namespace {

// Levenshtein's distance, row by row; swapping two neighbours also counts as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replace, row[j - 1] + 1, last[j] + 1});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
    }
    return row.back();
}

}  // namespace

std::string_view nearest(std::string_view wrong, std::span<const std::string_view> known) {
    constexpr std::size_t name_bytes_max = 64;
    std::string_view best;
    if (wrong.size() > name_bytes_max) return best;
    std::size_t best_distance = std::max<std::size_t>(1, (wrong.size() + 1) / 3) + 1;
    for (const std::string_view name : known) {
        const std::size_t distance = edit_distance(wrong, name);
        if (distance >= best_distance || distance >= name.size()) continue;
        best = name;
        best_distance = distance;
    }
    return best;
}

}  // namespace sluice::text
