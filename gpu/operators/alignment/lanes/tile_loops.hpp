// Included by kernels_*.cpp inside their namespaces, with the vector classes of an instruction set. A tile's rows are
// the lanes of some vectors, which move along its columns. Lane l is l columns behind lane 0, so it needs from the row
// above what the lane above had one step ago. A lane that is before the first column, past the last, or without a row
// computes values below the best that no other cell uses: letters there match nothing, and gaps only lose.

template <class V, std::size_t tile_rows>
class Tile {
    using Lane = typename V::Lane;
    static constexpr std::size_t vectors = tile_rows / V::count;
    static constexpr std::size_t steps_max = tile_columns + 2 * tile_rows;
    static constexpr int no_letter_of_query = 100, no_letter_of_text = 101;

public:
    explicit Tile(TileTask& task) : task_(task), rows_(task.query.size()), columns_(task.text.size()) {
        const auto letter = [&](Code code, int none) {
            return static_cast<Lane>(code == task.scheme.letters - 1 ? none : int{code});
        };
        std::fill(std::begin(query_), std::end(query_), Lane{no_letter_of_query});
        for (std::size_t l = 0; l < rows_; ++l) query_[l] = letter(task.query[l], no_letter_of_query);
        // Backwards, so that the letters of the lanes are adjacent.
        std::fill_n(text_, tile_rows, Lane{no_letter_of_text});
        for (std::size_t c = 0; c < columns_; ++c)
            text_[tile_rows + c] = letter(task.text[columns_ - 1 - c], no_letter_of_text);
        std::fill_n(text_ + tile_rows + columns_, tile_rows, Lane{no_letter_of_text});
    }

    void run() {
        run<false>();
        const std::int32_t best = task_.base + highest();
        if (best > task_.best) {
            task_.best = best;
            run<true>();
            place();
        }
        for (std::size_t c = 0; c < columns_; ++c) {
            task_.h[c] = task_.base + h_border_[c];
            task_.f[c] = task_.base + f_border_[c];
        }
        for (std::size_t l = 0; l < rows_; ++l) {
            task_.left_h[l] = task_.base + rows_h_[l];
            task_.e[l] = task_.base + rows_e_[l];
        }
    }

private:
    Lane lane(std::int32_t score) const {
        if constexpr (sizeof(Lane) == sizeof score) {
            return score;
        } else {
            // A value as good as minus infinity may be too far from the base for 32 bits.
            if (score == tile_floor) return std::numeric_limits<Lane>::min();
            return static_cast<Lane>(std::clamp(score - task_.base, -32768, 32767));
        }
    }

    void read_borders() {
        for (std::size_t c = 0; c < columns_; ++c) {
            h_border_[c] = lane(task_.h[c]);
            f_border_[c] = lane(task_.f[c]);
        }
        const Lane none = lane(tile_floor);
        std::fill_n(h_border_ + columns_, tile_rows, none);
        std::fill_n(f_border_ + columns_, tile_rows, none);
        diagonal_[0] = lane(task_.corner);
        for (std::size_t l = 0; l < tile_rows; ++l) {
            rows_h_[l] = l < rows_ ? lane(task_.left_h[l]) : none;
            rows_e_[l] = l < rows_ ? lane(task_.e[l]) : none;
            if (l > 0) diagonal_[l] = rows_h_[l - 1];
            number_[l] = static_cast<Lane>(l);
        }
    }

    struct State {
        V h[vectors], f[vectors], e[vectors], diagonal[vectors], query[vectors], found[vectors], best;
    };

    // Finds the highest cell or, with `places`, the step at which each lane reached it.
    template <bool places>
    void run() {
        read_borders();
        State s;
        for (std::size_t v = 0; v < vectors; ++v) {
            s.h[v] = V::load(rows_h_ + v * V::count);
            s.e[v] = V::load(rows_e_ + v * V::count);
            s.diagonal[v] = V::load(diagonal_ + v * V::count);
            s.query[v] = V::load(query_ + v * V::count);
            s.f[v] = V::of(lane(tile_floor));
            s.found[v] = V::of(0);
        }
        s.best = V::of(lane(task_.floor));
        const std::size_t steps = columns_ + tile_rows - 1, begin = std::min(tile_rows - 1, steps);
        for (std::size_t step = 0; step < begin; ++step) advance<places, true>(s, step);
        for (std::size_t step = begin; step < columns_; ++step) advance<places, false>(s, step);
        for (std::size_t step = std::max(begin, columns_); step < steps; ++step) advance<places, true>(s, step);
        for (std::size_t v = 0; v < vectors; ++v) {
            V::store(rows_h_ + v * V::count, s.h[v]);
            V::store(rows_e_ + v * V::count, s.e[v]);
            V::store(found_ + v * V::count, s.found[v]);
        }
        V::store(best_, s.best);
    }

    // `edge`: some lanes are before the first column or past the last, and keep their borders.
    template <bool places, bool edge>
    void advance(State& s, std::size_t step) {
        const V gap_first = V::of(task_.scheme.gap_first), gap_further = V::of(task_.scheme.gap_further);
        const V match = V::of(task_.scheme.highest), mismatch = V::of(task_.scheme.lowest),
                floor = V::of(lane(task_.floor));
        const V now = V::of(static_cast<int>(step)), last = V::of(static_cast<int>(step) - static_cast<int>(columns_));
        [[maybe_unused]] const V wanted = V::of(places ? lane(task_.best) : 0);
        const Lane* letters = text_ + tile_rows + columns_ - 1 - step;
        for (std::size_t v = vectors; v-- > 0;) {
            const V up = V::shifted(s.h[v], v > 0 ? s.h[v - 1] : V::of(h_border_[step]));
            const V gap_down = V::shifted(s.f[v], v > 0 ? s.f[v - 1] : V::of(f_border_[step]));
            const V equal = V::if_equal(s.query[v], V::load_any(letters + v * V::count), match, mismatch);
            const V without_f = V::max(V::max(V::add(s.diagonal[v], equal), s.e[v]), floor);
            const V cell = V::max(without_f, gap_down);
            // A gap that ends here and opens anew costs more than one that continues, so F need not wait for the cell.
            s.f[v] = V::max(V::subtract(gap_down, gap_further), V::subtract(without_f, gap_first));
            const V e = V::max(V::subtract(s.e[v], gap_further), V::subtract(cell, gap_first));
            if constexpr (places) {
                s.found[v] = V::if_equal(cell, wanted, now, s.found[v]);
            } else {
                s.best = V::max(s.best, cell);
            }
            if constexpr (edge) {
                const V number = V::load(number_ + v * V::count);
                const auto kept = [&](V before, V after) {
                    return V::if_greater(number, now, before, V::if_greater(number, last, after, before));
                };
                s.h[v] = kept(s.h[v], cell);
                s.e[v] = kept(s.e[v], e);
                s.diagonal[v] = kept(s.diagonal[v], up);
            } else {
                s.h[v] = cell;
                s.e[v] = e;
                s.diagonal[v] = up;
            }
        }
        if (step + 1 >= rows_) publish(s, step + 1 - rows_);
    }

    // Writes the last row's cell at `column` over that of the upper border.
    void publish(const State& s, std::size_t column) {
        if (rows_ == tile_rows) {
            h_border_[column] = V::last(s.h[vectors - 1]);
            f_border_[column] = V::last(s.f[vectors - 1]);
        } else if (column < columns_) {
            alignas(64) Lane lanes[tile_rows];
            const auto last_row = [&](const V* state) {
                for (std::size_t v = 0; v < vectors; ++v) V::store(lanes + v * V::count, state[v]);
                return lanes[rows_ - 1];
            };
            h_border_[column] = last_row(s.h);
            f_border_[column] = last_row(s.f);
        }
    }

    Lane highest() const { return *std::max_element(best_, best_ + V::count); }

    void place() {
        const auto at = static_cast<std::size_t>(std::max_element(found_, found_ + rows_) - found_);
        task_.query_end = static_cast<std::uint32_t>(at + 1);
        task_.text_end = static_cast<std::uint32_t>(static_cast<std::size_t>(found_[at]) - at + 1);
    }

    TileTask& task_;
    std::size_t rows_, columns_;
    alignas(64) Lane query_[tile_rows], number_[tile_rows], diagonal_[tile_rows], rows_h_[tile_rows];
    alignas(64) Lane rows_e_[tile_rows], found_[tile_rows], best_[V::count];
    alignas(64) Lane text_[steps_max], h_border_[steps_max], f_border_[steps_max];
};
