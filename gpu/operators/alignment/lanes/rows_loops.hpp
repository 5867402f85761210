// Included by kernels_*.cpp inside their namespaces, with the vector classes of an instruction set. A strip of as many
// rows as two vectors have lanes moves along the text. Lane l is l columns behind lane 0, so the values that it needs
// from the row above are those that the lane above had one step ago. The last lane's row becomes the next strip's upper
// border, in place. Lanes before the text's first column, behind its last, or below the query's last row compute cells
// that no other cell uses and that are below the best: letters there match nothing, and gaps only lose.

constexpr std::size_t vectors = 2, strip_rows = vectors * Lanes32::count;
static_assert(strip_rows <= RowsTask::margin);

// The letters of both, such that equal ones match. Nucleotides that match nothing, and padding, differ between the two.
struct Nucleotides {
    std::vector<std::int32_t> query, text;  // the text is reversed, so that the lanes' letters are adjacent

    explicit Nucleotides(const RowsTask& task)
        : query(task.query.size() + strip_rows, 100), text(task.text.size() + 2 * RowsTask::margin, 101) {
        const auto of = [&](Code code, int unknown) { return code == task.scheme.letters - 1 ? unknown : int{code}; };
        std::transform(task.query.begin(), task.query.end(), query.begin(), [&](Code c) { return of(c, 100); });
        std::transform(task.text.rbegin(), task.text.rend(), text.begin() + RowsTask::margin,
                       [&](Code c) { return of(c, 101); });
    }
    // The lanes' letters at a step: lane l is at column step - l.
    const std::int32_t* letters(std::size_t step) const {
        return text.data() + text.size() - RowsTask::margin - 1 - step;
    }
};

// The scores of amino acids, stored some steps before the lanes need them: scores[step][lane].
class SkewedScores {
public:
    SkewedScores(const RowsTask& task, std::size_t first_row) : task_(task) {
        constexpr std::int16_t no_letter = -score_max;
        for (std::size_t l = 0; l < strip_rows; ++l) {
            const std::size_t row = first_row + l;
            for (std::size_t c = 0; c < codes_max; ++c)
                profile_[c][l] =
                    row < task.query.size() && c != null_code ? task.scheme.scores[task.query[row]][c] : no_letter;
        }
        std::fill(scores_.begin(), scores_.end(), std::int32_t{no_letter});
    }

    const std::int32_t* at(std::size_t step) {
        if (step % ahead == 0) fill(step);
        return scores_.data() + step % ahead * strip_rows;
    }

private:
    static constexpr std::size_t ahead = 32;

    void fill(std::size_t step) {
        std::copy(scores_.begin() + ahead * strip_rows, scores_.end(), scores_.begin());
        for (std::size_t i = 0; i < ahead; ++i) {
            const std::size_t column = step + i;
            const std::int32_t* of_letter =
                profile_[column < task_.text.size() ? task_.text[column] : null_code].data();
            std::int32_t* to = scores_.data() + i * strip_rows;
#pragma GCC unroll 32
            for (std::size_t l = 0; l < strip_rows; ++l) to[l * strip_rows + l] = of_letter[l];
        }
    }

    const RowsTask& task_;
    alignas(64) std::array<std::array<std::int32_t, strip_rows>, codes_max> profile_;
    alignas(64) std::array<std::int32_t, (ahead + strip_rows) * strip_rows> scores_;
};

template <class V, bool local, bool track, bool dna>
class Strip {
public:
    Strip(RowsTask& task, const Nucleotides& letters, std::size_t first_row)
        : task_(task),
          letters_(letters),
          first_row_(first_row),
          rows_(std::min(strip_rows, task.query.size() - first_row)),
          h_border_(task.h.data() + RowsTask::margin),
          f_border_(task.f.data() + RowsTask::margin) {
        alignas(64) std::int32_t diagonal[strip_rows], e[strip_rows], number[strip_rows];
        for (std::size_t l = 0; l < strip_rows; ++l) {
            diagonal[l] = task.left_border(first_row + l);
            e[l] = task.left_border(first_row + l + 1) - task.scheme.gap_first;
            number[l] = static_cast<std::int32_t>(l);
        }
        for (std::size_t v = 0; v < vectors; ++v) {
            diagonal_[v] = V::load(diagonal + v * V::count);
            e_[v] = V::load(e + v * V::count);
            number_[v] = V::load(number + v * V::count);
            h_[v] = f_[v] = V::of(local ? 0 : minus_infinity);
            column_[v] = V::of(0);
            best_[v] = V::of(task.best.score);
            if constexpr (dna) query_[v] = V::load_any(letters.query.data() + first_row + v * V::count);
        }
        if constexpr (!dna) skewed_.emplace(task, first_row);
    }

    void run() {
        const std::size_t n = task_.text.size(), steps = n + rows_ - 1;
        std::size_t step = 0;
        if constexpr (!local) {
            for (; step < std::min(strip_rows, steps); ++step) advance<true>(step);
        }
        for (; step < steps; ++step) advance<false>(step);
        if (track) keep_best();
    }

private:
    // `starting`: some lanes have not reached the first column yet, and keep their left border until then.
    template <bool starting>
    void advance(std::size_t step) {
        const V gap_first = V::of(task_.scheme.gap_first), gap_further = V::of(task_.scheme.gap_further);
        const V now = V::of(static_cast<std::int32_t>(step));
        const std::int32_t* scores = nullptr;
        if constexpr (!dna) scores = skewed_->at(step);
        for (std::size_t v = vectors; v-- > 0;) {
            const V up = V::shifted(h_[v], v > 0 ? h_[v - 1] : V::of(h_border_[step]));
            const V f = V::shifted(f_[v], v > 0 ? f_[v - 1] : V::of(f_border_[step]));
            const V matched = V::add(diagonal_[v], score(step, v, scores));
            V cell = V::max(V::max(matched, f), e_[v]);
            if (local) cell = V::max(cell, V::zero());
            const V opened = V::subtract(cell, gap_first);
            const V e = V::max(V::subtract(e_[v], gap_further), opened);
            f_[v] = V::max(V::subtract(f, gap_further), opened);
            h_[v] = cell;
            e_[v] = starting ? V::if_greater(number_[v], now, e_[v], e) : e;
            diagonal_[v] = starting ? V::if_greater(number_[v], now, diagonal_[v], up) : up;
            if (track) {
                column_[v] = V::if_greater(cell, best_[v], now, column_[v]);
                best_[v] = V::max(best_[v], cell);
            }
        }
        if (step + 1 >= rows_) publish(step + 1 - rows_);
    }

    V score(std::size_t step, std::size_t v, const std::int32_t* scores) const {
        if constexpr (dna) {
            return V::if_equal(query_[v], V::load_any(letters_.letters(step) + v * V::count),
                               V::of(task_.scheme.highest), V::of(task_.scheme.lowest));
        } else {
            return V::load(scores + v * V::count);
        }
    }

    // Stores the last row's cell at `column` in place of the upper border's.
    void publish(std::size_t column) {
        if (rows_ == strip_rows) {
            h_border_[column] = V::last(h_[vectors - 1]);
            f_border_[column] = V::last(f_[vectors - 1]);
        } else if (!local) {
            alignas(64) std::int32_t lanes[V::count];
            V::store(lanes, h_[(rows_ - 1) / V::count]);
            h_border_[column] = lanes[(rows_ - 1) % V::count];
            V::store(lanes, f_[(rows_ - 1) / V::count]);
            f_border_[column] = lanes[(rows_ - 1) % V::count];
        }
    }

    void keep_best() {
        alignas(64) std::int32_t best[strip_rows], column[strip_rows];
        for (std::size_t v = 0; v < vectors; ++v) {
            V::store(best + v * V::count, best_[v]);
            V::store(column + v * V::count, column_[v]);
        }
        for (std::size_t l = 0; l < rows_; ++l) {
            if (best[l] > task_.best.score)
                task_.best = {best[l], static_cast<std::uint32_t>(first_row_ + l + 1),
                              static_cast<std::uint32_t>(column[l]) - static_cast<std::uint32_t>(l) + 1};
        }
    }

    RowsTask& task_;
    const Nucleotides& letters_;
    std::size_t first_row_, rows_;
    std::int32_t *h_border_, *f_border_;
    V query_[vectors], diagonal_[vectors], e_[vectors], h_[vectors], f_[vectors], best_[vectors], column_[vectors];
    V number_[vectors];
    std::optional<SkewedScores> skewed_;
};

template <bool local, bool track, bool dna>
void run_strips(RowsTask& task, const Nucleotides& letters) {
    for (std::size_t row = 0; row < task.query.size(); row += strip_rows) {
        Strip<Lanes32, local, track, dna>(task, letters, row).run();
        if (task.progress && !task.progress(std::min(strip_rows, task.query.size() - row) * task.text.size())) return;
    }
}

template <bool local, bool track>
void run_strips(RowsTask& task) {
    const Nucleotides letters(task);
    task.scheme.alphabet == Scheme::Alphabet::dna ? run_strips<local, track, true>(task, letters)
                                                  : run_strips<local, track, false>(task, letters);
}
