// The loops of myers_kernel.hpp, included by one source file per instruction set. Each file wraps them in its namespace
// and defines Lanes<Word>, a vector of words. They call nothing of the standard library: the linker might keep an
// inline function compiled here for the whole program.

// One column of one word: the vertical differences `plus` and `minus` of the left column become those of the next
// column. The horizontal differences of the lowest row are in the highest bits of across_plus and across_minus.
template <class L>
struct Column {
    typename L::Vector plus, minus, across_plus, across_minus;

    // above_*: the horizontal differences of the row above, in the highest bits.
    void step(typename L::Vector match, typename L::Vector above_plus, typename L::Vector above_minus) {
        const auto vertical = L::either(match, minus);
        match = L::either(match, L::highest_bit(above_minus));
        const auto diagonal = L::xor_or(L::sum(L::both(match, plus), plus), plus, match);
        across_plus = L::or_nor(minus, diagonal, plus);
        across_minus = L::both(plus, diagonal);
        const auto shifted_plus = L::shifted_in(across_plus, above_plus);
        const auto shifted_minus = L::shifted_in(across_minus, above_minus);
        plus = L::or_nor(shifted_minus, vertical, shifted_plus);
        minus = L::both(shifted_plus, vertical);
    }
    // The same below a row of zeros.
    void step_below_zeros(typename L::Vector match) {
        const auto vertical = L::either(match, minus);
        const auto diagonal = L::xor_or(L::sum(L::both(match, plus), plus), plus, match);
        across_plus = L::or_nor(minus, diagonal, plus);
        across_minus = L::both(plus, diagonal);
        const auto shifted_plus = L::doubled(across_plus);
        plus = L::or_nor(L::doubled(across_minus), vertical, shifted_plus);
        minus = L::both(shifted_plus, vertical);
    }
    typename L::Vector down(typename L::Vector distance) const {
        return L::difference(L::sum(distance, L::highest_bit(across_plus)), L::highest_bit(across_minus));
    }
};

// Whether no lane's distance can fall to its bound in `columns` more columns, by at most one in each.
template <class L, std::size_t vectors>
bool out_of_reach(const typename L::Vector (&distance)[vectors], const typename L::Vector (&bound)[vectors],
                  std::size_t columns) {
    const auto reach = L::all(static_cast<typename L::Word>(columns));
    bool any = false;
    for (std::size_t v = 0; v < vectors; ++v)
        any = any || L::any_not_greater(L::difference(distance[v], reach), bound[v]);
    return !any;
}

// Patterns of one word: the whole state stays in registers.
template <class L, std::size_t vectors, class Character>
void match_one_word(MyersTask<typename L::Word>& task, const Character* text) {
    constexpr std::size_t word_bits = 8 * sizeof(typename L::Word);  // no distance exceeds it
    constexpr std::size_t columns_between_looks = 64, columns_between_last_looks = 16;
    const bool whole = task.extent == Extent::whole;
    const auto all = L::all(~typename L::Word{0}), none = L::all(0);
    typename L::Vector distance[vectors], least[vectors], enough[vectors];
    Column<L> column[vectors];
    for (std::size_t v = 0; v < vectors; ++v) {
        column[v].plus = L::load(task.inside + v * L::lanes);
        column[v].minus = none;
        distance[v] = L::load(task.length + v * L::lanes);
        least[v] = L::load(task.least + v * L::lanes);
        enough[v] = task.decide ? L::load(task.bound + v * L::lanes) : none;
    }
    std::size_t j = 0;
    while (j < task.n) {
        const std::size_t left = task.n - j;
        const bool near_end = task.decide && left < columns_between_looks + word_bits;
        if (near_end && out_of_reach<L>(distance, enough, left)) break;
        const std::size_t look = near_end ? columns_between_last_looks : columns_between_looks;
        const std::size_t end = left < look ? task.n : j + look;
        if (whole) {
            for (; j < end; ++j) {
                const auto* row = task.table + task.row_of[text[j]];
                for (std::size_t v = 0; v < vectors; ++v) {
                    column[v].step(L::load(row + v * L::lanes), all, none);
                    distance[v] = column[v].down(distance[v]);
                }
            }
            continue;
        }
        for (; j < end; ++j) {
            const auto* row = task.table + task.row_of[text[j]];
            for (std::size_t v = 0; v < vectors; ++v) {
                column[v].step_below_zeros(L::load(row + v * L::lanes));
                distance[v] = column[v].down(distance[v]);
                least[v] = L::lesser(least[v], distance[v]);
            }
        }
        bool decided = true;
        for (std::size_t v = 0; v < vectors; ++v) decided = decided && L::none_greater(least[v], enough[v]);
        if (decided) break;
    }
    for (std::size_t v = 0; v < vectors; ++v) L::store(task.least + v * L::lanes, whole ? distance[v] : least[v]);
    task.columns = task.blocks = j;
}

// The rows of a MatchTable.
template <class Word>
struct TableRows {
    const Word* table;
    const std::uint32_t* row_of;

    explicit TableRows(const MyersTask<Word>& task) : table(task.table), row_of(task.row_of) {}
    const Word* of(std::size_t c) const { return table + row_of[c]; }
};

// Longer patterns. For substrings, only the words that can hold a distance within a lane's bound are computed (Ukkonen
// 1985, by words): one more when the distance in the lowest computed row is within some lane's bound, and one less when
// all of the lowest word exceeds every lane's bound. One long function, because its loops share registers: as members
// of a struct they were up to a quarter slower (GCC 12, AVX-512).
template <class L, std::size_t vectors, class Rows, class Character>
void match_words(MyersTask<typename L::Word>& task, const Character* text) {
    using Word = typename L::Word;
    constexpr std::size_t columns_between_looks = 32;
    constexpr std::size_t lanes = L::lanes * vectors;
    const bool whole = task.extent == Extent::whole;
    const auto all = L::all(~Word{0}), none = L::all(0), word_bits = L::all(8 * sizeof(Word));
    const auto nothing = L::all(Word{3} << (8 * sizeof(Word) - 2));  // a bound below every distance
    Word* const plus = task.state;
    Word* const minus = task.state + task.words * lanes;
    typename L::Vector distance[vectors], least[vectors], bound[vectors], inside[vectors];
    std::size_t words = whole ? task.words : 1;  // the words that are computed
    const auto begin_word = [&](std::size_t w, std::size_t v) {
        L::store(plus + w * lanes + v * L::lanes, w == 0 ? inside[v] : all);
        L::store(minus + w * lanes + v * L::lanes, none);
    };
    for (std::size_t v = 0; v < vectors; ++v) {
        inside[v] = L::load(task.inside + v * L::lanes);
        least[v] = L::load(task.least + v * L::lanes);
        bound[v] = L::load(task.bound + v * L::lanes);
        for (std::size_t w = 0; w < words; ++w) begin_word(w, v);
        // In the first column, distances grow by one per row below the padding.
        const auto below = L::all(static_cast<Word>((task.words - words) * 8 * sizeof(Word)));
        distance[v] = L::difference(L::load(task.length + v * L::lanes), below);
    }
    Rows rows(task);
    std::size_t j = 0;
    std::size_t blocks = 0;
    for (; j < task.n; ++j) {
        while (words < task.words) {
            bool grows = false;
            for (std::size_t v = 0; v < vectors; ++v) grows = grows || L::any_not_greater(distance[v], bound[v]);
            if (!grows) break;
            for (std::size_t v = 0; v < vectors; ++v) {
                begin_word(words, v);
                distance[v] = L::sum(distance[v], word_bits);
            }
            ++words;
        }
        const Word* row = rows.of(text[j]);
        Column<L> column[vectors];
        for (std::size_t v = 0; v < vectors; ++v) {
            column[v].across_plus = whole ? all : none;
            column[v].across_minus = none;
        }
        for (std::size_t w = 0; w < words; ++w, row += task.stride) {
            for (std::size_t v = 0; v < vectors; ++v) {
                Word* const plus_v = plus + w * lanes + v * L::lanes;
                Word* const minus_v = minus + w * lanes + v * L::lanes;
                column[v].plus = L::load(plus_v);
                column[v].minus = L::load(minus_v);
                column[v].step(L::load(row + v * L::lanes), column[v].across_plus, column[v].across_minus);
                L::store(plus_v, column[v].plus);
                L::store(minus_v, column[v].minus);
            }
        }
        blocks += words;
        for (std::size_t v = 0; v < vectors; ++v) distance[v] = column[v].down(distance[v]);
        if (whole) continue;
        if (words == task.words) {
            bool found = false;
            for (std::size_t v = 0; v < vectors; ++v) found = found || L::any_not_greater(distance[v], bound[v]);
            if (found) {
                bool decided = true;
                for (std::size_t v = 0; v < vectors; ++v) {
                    const auto hit = L::not_greater(distance[v], bound[v]);
                    least[v] = L::where(hit, distance[v], least[v]);
                    bound[v] = L::where(hit, task.decide ? nothing : L::sum(distance[v], all), bound[v]);
                    decided = decided && L::none_greater(bound[v], all);
                }
                if (decided) {
                    ++j;
                    break;
                }
            }
        }
        if (j % columns_between_looks == 0) {
            while (words > 1) {
                bool needed = false;
                for (std::size_t v = 0; v < vectors; ++v)
                    needed = needed || L::any_not_greater(L::difference(distance[v], word_bits), L::sum(bound[v], all));
                if (needed) break;
                --words;
                for (std::size_t v = 0; v < vectors; ++v) {
                    const auto up = L::ones(L::load(plus + words * lanes + v * L::lanes));
                    const auto down = L::ones(L::load(minus + words * lanes + v * L::lanes));
                    distance[v] = L::difference(L::sum(distance[v], down), up);
                }
            }
        }
    }
    for (std::size_t v = 0; v < vectors; ++v) L::store(task.least + v * L::lanes, whole ? distance[v] : least[v]);
    task.columns = j;
    task.blocks = blocks;
}

template <class L, std::size_t vectors>
void match(MyersTask<typename L::Word>& task) {
    if (task.words == 1) {
        if (task.bytes != nullptr)
            match_one_word<L, vectors>(task, task.bytes);
        else
            match_one_word<L, vectors>(task, task.classes);
    } else if (task.bytes != nullptr) {
        match_words<L, vectors, TableRows<typename L::Word>>(task, task.bytes);
    } else {
        match_words<L, vectors, TableRows<typename L::Word>>(task, task.classes);
    }
}

template <class Word>
MyersKernel<Word> kernel(Width width) {
    using L = Lanes<Word>;
    switch (width) {
        case Width::one:
            return {L::lanes, match<L, 1>};
        case Width::two:
            return {2 * L::lanes, match<L, 2>};
        default:
            return {4 * L::lanes, match<L, 4>};
    }
}
