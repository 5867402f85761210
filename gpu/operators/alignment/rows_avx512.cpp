// One pair with AVX-512: a strip of 32 rows, a row a lane, along the text; lane l is l columns behind lane 0, so that
// what it needs from the row above is what the lane above had a step ago. The last lane's row is the next strip's upper
// border, in place. Six vector instructions pass values from lane to lane or look scores up, ten compute: 17 GCUPS
// would be the most on a core that does four a clock at 4 GHz.
#include <algorithm>
#include <array>
#include <immintrin.h>

#include "gpu/operators/alignment/rows_kernel.hpp"

namespace sluice::alignment::avx512 {

namespace {

constexpr std::size_t vectors = 2, lanes = 16, strip_rows = vectors * lanes;

// The lanes of `below` moved up by one, with the last lane of `above` in the first.
__m512i shift(__m512i below, __m512i above) { return _mm512_alignr_epi32(below, above, 15); }

// Nucleotides that match nothing differ from one sequence to the other; amino acids are rows and columns of a table.
struct Letters {
    std::vector<std::int32_t> query, text;
    alignas(64) std::array<std::int32_t, codes_max * codes_max> scores{};
    bool dna;

    explicit Letters(const RowsTask& task) : dna(task.scheme.alphabet == Scheme::Alphabet::dna) {
        query.assign(task.query.size() + strip_rows, 0);
        text.assign(task.text.size() + 2 * RowsTask::margin, 0);
        const auto of = [&](Code code, int unknown) {
            return dna && code == task.scheme.letters - 1 ? unknown : int{code};
        };
        for (std::size_t i = 0; i < task.query.size(); ++i)
            query[i] = of(task.query[i], 100) * (dna ? 1 : static_cast<int>(codes_max));
        for (std::size_t j = 0; j < task.text.size(); ++j) text[RowsTask::margin + j] = of(task.text[j], 101);
        for (std::size_t a = 0; a < codes_max; ++a) {
            for (std::size_t b = 0; b < codes_max; ++b) scores[a * codes_max + b] = task.scheme.scores[a][b];
        }
    }
};

template <bool local, bool track, bool dna>
class Strip {
public:
    Strip(RowsTask& task, const Letters& letters, std::size_t first_row)
        : task_(task),
          letters_(letters),
          first_row_(first_row),
          rows_(std::min(strip_rows, task.query.size() - first_row)) {
        alignas(64) std::int32_t diagonal[strip_rows], e[strip_rows];
        for (std::size_t l = 0; l < strip_rows; ++l) {
            diagonal[l] = task.left_border(first_row + l);
            e[l] = task.left_border(first_row + l + 1) - task.scheme.gap_first;
        }
        for (std::size_t v = 0; v < vectors; ++v) {
            query_[v] = _mm512_loadu_si512(letters.query.data() + first_row + v * lanes);
            diagonal_[v] = _mm512_load_si512(diagonal + v * lanes);
            e_[v] = _mm512_load_si512(e + v * lanes);
            h_[v] = f_[v] = text_[v] = column_[v] = _mm512_setzero_si512();
            best_[v] = _mm512_set1_epi32(task.best.score);
        }
    }

    void run() {
        const std::size_t n = task_.text.size(), steps = n + rows_ - 1;
        const std::uint32_t in_strip = rows_ == strip_rows ? ~0u : (1u << rows_) - 1;
        std::size_t step = 0;
        const std::size_t head = std::min(strip_rows, steps);
        for (; step < head; ++step) {
            const std::uint32_t started = step >= 31 ? ~0u : (2u << step) - 1;
            const std::uint32_t ended = step < n ? 0 : (1u << (step - n + 1)) - 1;
            advance<true>(step, started, started & in_strip & ~ended);
        }
        if (in_strip == ~0u) {
            for (; step < n; ++step) advance<false>(step, ~0u, ~0u);
        }
        for (; step < steps; ++step) {
            const std::uint32_t ended = step < n ? 0 : (1u << (step - n + 1)) - 1;
            advance<true>(step, ~0u, in_strip & ~ended);
        }
        if (track) keep_best();
    }

private:
    // `started`: lanes that are at a column of the text. `counted`: those whose cells may be the best.
    template <bool masked>
    void advance(std::size_t step, std::uint32_t started, std::uint32_t counted) {
        const auto* h_above = task_.h.data() + RowsTask::margin + step - 15;
        const auto* f_above = task_.f.data() + RowsTask::margin + step - 15;
        const auto* text = letters_.text.data() + RowsTask::margin + step - 15;
        const __m512i gap_first = _mm512_set1_epi32(task_.scheme.gap_first);
        const __m512i gap_further = _mm512_set1_epi32(task_.scheme.gap_further);
        for (std::size_t v = vectors; v-- > 0;) {
            const __m512i up = shift(h_[v], v > 0 ? h_[v - 1] : _mm512_loadu_si512(h_above));
            const __m512i f = shift(f_[v], v > 0 ? f_[v - 1] : _mm512_loadu_si512(f_above));
            text_[v] = shift(text_[v], v > 0 ? text_[v - 1] : _mm512_loadu_si512(text));
            const __m512i matched = _mm512_add_epi32(diagonal_[v], scores(v));
            __m512i cell = _mm512_max_epi32(_mm512_max_epi32(matched, f), e_[v]);
            if (local) cell = _mm512_max_epi32(cell, _mm512_setzero_si512());
            const __m512i opened = _mm512_sub_epi32(cell, gap_first);
            const __m512i e = _mm512_max_epi32(_mm512_sub_epi32(e_[v], gap_further), opened);
            f_[v] = _mm512_max_epi32(_mm512_sub_epi32(f, gap_further), opened);
            h_[v] = cell;
            if (masked) {
                const auto mask = static_cast<__mmask16>(started >> (v * lanes));
                e_[v] = _mm512_mask_mov_epi32(e_[v], mask, e);
                diagonal_[v] = _mm512_mask_mov_epi32(diagonal_[v], mask, up);
            } else {
                e_[v] = e;
                diagonal_[v] = up;
            }
            if (track) {
                auto better = _mm512_cmpgt_epi32_mask(cell, best_[v]);
                if (masked) better = static_cast<__mmask16>(better & (counted >> (v * lanes)));
                best_[v] = _mm512_mask_mov_epi32(best_[v], better, cell);
                column_[v] = _mm512_mask_mov_epi32(column_[v], better, _mm512_set1_epi32(static_cast<int>(step)));
            }
        }
        if (step + 1 >= rows_) publish(step + 1 - rows_);
    }

    __m512i scores(std::size_t v) const {
        if constexpr (dna) {
            return _mm512_mask_mov_epi32(_mm512_set1_epi32(task_.scheme.lowest),
                                         _mm512_cmpeq_epi32_mask(query_[v], text_[v]),
                                         _mm512_set1_epi32(task_.scheme.highest));
        } else {
            return _mm512_i32gather_epi32(_mm512_add_epi32(query_[v], text_[v]), letters_.scores.data(), 4);
        }
    }

    // The last row's cell at `column`, to where the upper border's was.
    void publish(std::size_t column) {
        const std::size_t v = (rows_ - 1) / lanes, lane = (rows_ - 1) % lanes;
        const auto mask = static_cast<__mmask16>(1u << lane);
        const std::size_t at = RowsTask::margin + column - lane;
        _mm512_mask_storeu_epi32(task_.h.data() + at, mask, h_[v]);
        _mm512_mask_storeu_epi32(task_.f.data() + at, mask, f_[v]);
    }

    void keep_best() {
        alignas(64) std::int32_t best[strip_rows], column[strip_rows];
        for (std::size_t v = 0; v < vectors; ++v) {
            _mm512_store_si512(best + v * lanes, best_[v]);
            _mm512_store_si512(column + v * lanes, column_[v]);
        }
        for (std::size_t l = 0; l < rows_; ++l) {
            if (best[l] > task_.best.score)
                task_.best = {best[l], static_cast<std::uint32_t>(first_row_ + l + 1),
                              static_cast<std::uint32_t>(column[l]) - static_cast<std::uint32_t>(l) + 1};
        }
    }

    RowsTask& task_;
    const Letters& letters_;
    std::size_t first_row_, rows_;
    __m512i query_[vectors], text_[vectors], diagonal_[vectors], e_[vectors], h_[vectors], f_[vectors];
    __m512i best_[vectors], column_[vectors];
};

template <bool local, bool track, bool dna>
void run_strips(RowsTask& task, const Letters& letters) {
    for (std::size_t row = 0; row < task.query.size(); row += strip_rows) {
        Strip<local, track, dna>(task, letters, row).run();
        if (task.progress && !task.progress(std::min(strip_rows, task.query.size() - row) * task.text.size())) return;
    }
}

template <bool local, bool track>
void run_strips(RowsTask& task, const Letters& letters) {
    letters.dna ? run_strips<local, track, true>(task, letters) : run_strips<local, track, false>(task, letters);
}

}  // namespace

void run_rows(RowsTask& task) {
    const Letters letters(task);
    if (task.local) return run_strips<true, true>(task, letters);
    task.track_best ? run_strips<false, true>(task, letters) : run_strips<false, false>(task, letters);
}

}  // namespace sluice::alignment::avx512
