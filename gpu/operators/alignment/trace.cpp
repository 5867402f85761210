#include "gpu/operators/alignment/trace.hpp"

#include <algorithm>

#include "gpu/operators/alignment/tiles.hpp"

namespace sluice::alignment {

namespace {

// Below this many cells a sub-problem keeps one byte per cell and is traced back directly.
constexpr std::uint64_t direct_cells_max = 1 << 22;
// From this many columns on, tiles are faster than rows.
constexpr std::size_t tiled_columns_min = 256;

void append(std::vector<AlignedRun>& runs, char operation, std::size_t length) {
    if (length == 0) return;
    if (!runs.empty() && runs.back().operation == operation) {
        runs.back().length += static_cast<std::uint32_t>(length);
    } else {
        runs.push_back({operation, static_cast<std::uint32_t>(length)});
    }
}

std::vector<Code> reversed(Codes codes) { return {codes.rbegin(), codes.rend()}; }

// Appends global alignments of parts of two sequences to `runs`. `left_first` and `right_first` are the costs of the
// first letter of a gap in the text at the upper left and the lower right corner: less if it continues a gap outside.
class Tracer {
public:
    Tracer(const Scheme& scheme, std::vector<AlignedRun>& runs, unsigned threads, const Progress& progress)
        : scheme_(scheme), runs_(runs), threads_(threads), progress_(progress) {}

    // `score` is the score of the alignment.
    void align(Codes query, Codes text, int left_first, int right_first, std::int32_t score) {
        const std::uint64_t cells = std::uint64_t{query.size() + 1} * (text.size() + 1);
        if (query.size() < 2 || cells <= direct_cells_max) return align_directly(query, text, left_first, right_first);
        const std::size_t middle = query.size() / 2;
        const Join join = best_join(query, text, middle, left_first, right_first, score);
        const int first = scheme_.gap_first, further = scheme_.gap_further;
        if (!join.in_gap) {
            align(query.first(middle), text.first(join.column), left_first, first, join.score);
            align(query.subspan(middle), text.subspan(join.column), first, right_first, join.score_behind);
        } else {
            // F charges each middle letter as the first letter of a gap, or a further one; the parts leave them out.
            align(query.first(middle - 1), text.first(join.column), left_first, further, join.score + first);
            append(runs_, 'I', 2);
            align(query.subspan(middle + 1), text.subspan(join.column), further, right_first,
                  join.score_behind + first);
        }
    }

private:
    struct Join {
        std::size_t column = 0;
        bool in_gap = false;                       // the letters on both sides of the middle are in one gap
        std::int32_t score = 0, score_behind = 0;  // H, or F, of the parts before and behind the middle
    };

    Join best_join(Codes query, Codes text, std::size_t middle, int left_first, int right_first, std::int32_t score) {
        const std::size_t n = text.size(), behind = query.size() - middle;
        const int first = scheme_.gap_first, further = scheme_.gap_further;
        std::vector<std::int32_t> h(n + 1), f(n + 1), h_back(n + 1), f_back(n + 1);
        rows(left_first, query.first(middle), behind, text, score, h, f);
        rows(right_first, reversed(query.subspan(middle)), middle, reversed(text), score, h_back, f_back);
        // Cells that cannot be on an alignment of that score may have any value.
        const auto counts = [&](std::int32_t value, std::size_t rows_left, std::size_t columns_left) {
            return value + scheme_.score_bound(rows_left, columns_left) + first >= score;
        };
        Join join;
        std::int32_t best = minus_infinity;
        for (const bool in_gap : {false, true}) {
            for (std::size_t j = 0; j <= n; ++j) {
                const std::int32_t before = in_gap ? f[j] : h[j], after = in_gap ? f_back[n - j] : h_back[n - j];
                const std::int32_t sum = before + after + (in_gap ? first - further : 0);
                if (sum > best && counts(before, behind, n - j) && counts(after, middle, j))
                    best = sum, join = {j, in_gap, before, after};
            }
        }
        return join;
    }

    void rows(int left_first, Codes query, std::size_t rows_below, Codes text, std::int32_t score,
              std::span<std::int32_t> h, std::span<std::int32_t> f) {
        if (scheme_.alphabet == Scheme::Alphabet::dna && text.size() >= tiled_columns_min) {
            last_row_of_tiles(scheme_, left_first, query, rows_below, text, score, h, f, threads_, progress_);
        } else {
            last_row(scheme_, left_first, query, text, h, f, progress_);
        }
    }

    enum Direction : std::uint8_t {
        from_diagonal = 0,
        from_e = 1,
        from_f = 2,
        h_mask = 3,
        e_extends = 4,
        f_extends = 8
    };

    void align_directly(Codes query, Codes text, int left_first, int right_first) {
        const std::size_t m = query.size(), n = text.size(), width = n + 1;
        const int first = scheme_.gap_first, further = scheme_.gap_further;
        directions_.assign((m + 1) * width, 0);
        std::vector<std::int32_t> h(width), f(width, minus_infinity);
        for (std::size_t j = 1; j <= n; ++j) {
            h[j] = static_cast<std::int32_t>(-scheme_.gap_cost(j));
            directions_[j] = static_cast<std::uint8_t>(from_e | (j > 1 ? e_extends : 0));
        }
        for (std::size_t i = 1; i <= m; ++i) {
            std::uint8_t* row = directions_.data() + i * width;
            std::int32_t diagonal = h[0];
            h[0] = f[0] = -left_first - static_cast<std::int32_t>(i - 1) * further;
            row[0] = static_cast<std::uint8_t>(from_f | (i > 1 ? f_extends : 0));
            std::int32_t e = minus_infinity;
            for (std::size_t j = 1; j <= n; ++j) {
                std::uint8_t direction = from_diagonal;
                if (e - further > h[j - 1] - first) direction |= e_extends;
                e = std::max(e - further, h[j - 1] - first);
                if (f[j] - further > h[j] - first) direction |= f_extends;
                f[j] = std::max(f[j] - further, h[j] - first);
                std::int32_t best = diagonal + scheme_.scores[query[i - 1]][text[j - 1]];
                diagonal = h[j];
                if (e > best) best = e, direction = static_cast<std::uint8_t>((direction & ~h_mask) | from_e);
                if (f[j] > best) best = f[j], direction = static_cast<std::uint8_t>((direction & ~h_mask) | from_f);
                h[j] = best;
                row[j] = direction;
            }
        }
        const bool ends_in_gap = m > 0 && f[n] + first - right_first > h[n];
        walk_back(query, text, ends_in_gap);
        if (progress_) progress_(std::uint64_t{m} * n);
    }

    void walk_back(Codes query, Codes text, bool ends_in_gap) {
        const std::size_t width = text.size() + 1;
        std::size_t i = query.size(), j = text.size();
        std::string operations;
        char state = ends_in_gap ? 'I' : '=';
        while (i > 0 || j > 0) {
            const std::uint8_t direction = directions_[i * width + j];
            if (state == '=') {
                const int from = direction & h_mask;
                if (from == from_diagonal) {
                    --i, --j;
                    operations += scheme_.scores[query[i]][text[j]] > 0 && query[i] == text[j] ? '=' : 'X';
                    continue;
                }
                state = from == from_e ? 'D' : 'I';
            }
            operations += state;
            const bool extends = (direction & (state == 'D' ? e_extends : f_extends)) != 0;
            --(state == 'D' ? j : i);
            if (!extends) state = '=';
        }
        for (auto operation = operations.rbegin(); operation != operations.rend(); ++operation)
            append(runs_, *operation, 1);
    }

    const Scheme& scheme_;
    std::vector<AlignedRun>& runs_;
    const unsigned threads_;
    const Progress& progress_;
    std::vector<std::uint8_t> directions_;
};

EndPoint start_of(const Scheme& scheme, Codes query, Codes text, std::int32_t score, unsigned threads,
                  const Progress& progress) {
    const bool tiled = scheme.alphabet == Scheme::Alphabet::dna && text.size() >= tiled_columns_min &&
                       std::uint64_t{query.size()} * text.size() > direct_cells_max;
    return tiled ? tiles_from_start(scheme, query, text, score, threads, progress)
                 : align_from_start(scheme, query, text, progress);
}

}  // namespace

std::string Alignment::cigar() const {
    std::string text;
    for (const auto& run : runs) text += std::to_string(run.length) + run.operation;
    return text;
}

std::uint64_t Alignment::columns(char operation) const {
    std::uint64_t count = 0;
    for (const auto& run : runs) count += run.operation == operation ? run.length : 0;
    return count;
}

Alignment trace(const Scheme& scheme, Mode mode, Codes query, Codes text, const EndPoint& end, unsigned threads,
                const Progress& progress) {
    Alignment alignment;
    alignment.score = end.score;
    if (mode == Mode::local) {
        if (end.score == 0) return alignment;
        query = query.first(end.query_end);
        text = text.first(end.text_end);
        const EndPoint start = start_of(scheme, reversed(query), reversed(text), end.score, threads, progress);
        alignment.query_begin = end.query_end - start.query_end;
        alignment.text_begin = end.text_end - start.text_end;
        query = query.subspan(alignment.query_begin);
        text = text.subspan(alignment.text_begin);
    }
    alignment.query_end = alignment.query_begin + static_cast<std::uint32_t>(query.size());
    alignment.text_end = alignment.text_begin + static_cast<std::uint32_t>(text.size());
    Tracer(scheme, alignment.runs, threads, progress).align(query, text, scheme.gap_first, scheme.gap_first, end.score);
    return alignment;
}

}  // namespace sluice::alignment
