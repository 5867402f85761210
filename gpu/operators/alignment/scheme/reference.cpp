#include "gpu/operators/alignment/scheme/reference.hpp"

#include <algorithm>
#include <vector>

namespace sluice::alignment {

namespace {

constexpr std::int64_t score_limit = (1 << 30) - 4 * score_max;

struct Cell {
    std::int32_t h, f;
};

}  // namespace

EndPoint reference_align(const Scheme& scheme, Mode mode, Codes query, Codes text) {
    const bool local = mode == Mode::local;
    const auto border = [&](std::size_t length) {
        return local ? 0 : static_cast<std::int32_t>(-scheme.gap_cost(length));
    };
    std::vector<Cell> above(text.size() + 1);
    for (std::size_t j = 0; j <= text.size(); ++j) above[j] = {border(j), minus_infinity};
    EndPoint best;
    for (std::size_t i = 1; i <= query.size(); ++i) {
        std::int32_t diagonal = above[0].h, e = minus_infinity;
        above[0].h = border(i);
        for (std::size_t j = 1; j <= text.size(); ++j) {
            Cell& cell = above[j];
            e = std::max(e - scheme.gap_further, above[j - 1].h - scheme.gap_first);
            cell.f = std::max(cell.f - scheme.gap_further, cell.h - scheme.gap_first);
            std::int32_t h = diagonal + scheme.scores[query[i - 1]][text[j - 1]];
            h = std::max({h, e, cell.f});
            if (local) h = std::max(h, 0);
            diagonal = cell.h;
            cell.h = h;
            if (local && h > best.score) best = {h, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)};
        }
    }
    if (local) return best;
    return {above.back().h, static_cast<std::uint32_t>(query.size()), static_cast<std::uint32_t>(text.size())};
}

std::optional<std::string> too_long(const Scheme& scheme, std::size_t m, std::size_t n) {
    const std::int64_t lowest = scheme.gap_cost(m) + scheme.gap_cost(n);
    if (scheme.score_bound(m, n) < score_limit && lowest < score_limit) return std::nullopt;
    return "sequences of " + std::to_string(m) + " and " + std::to_string(n) +
           " letters are too long: their score may not fit 32 bits";
}

}  // namespace sluice::alignment
