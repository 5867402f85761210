// Included by kernels_*.cpp inside their namespaces, after the vector classes: one local alignment with the query
// striped over the lanes (Farrar, Bioinformatics 23, 2007), for pairs that share their text with few others. Lane l of
// segment s is row l * segments + s. A prefix maximum over the lanes finds what F carries from lane to lane; it is
// added while the next column is computed. Farrar's own loop repeats columns many times where sequences are similar.

// How often to check for lanes that may be full.
constexpr std::size_t columns_between_checks = 8;

// The query's scores for each letter of a text: [letter][segment]. `codes` is scratch space for the query's letters.
template <class V>
void striped_profile(const StripedTask& task, std::size_t segments, Code* codes, typename V::Lane* profile) {
    std::fill_n(codes, segments * V::count, null_code);
    for (std::size_t l = 0, row = 0; row < task.rows; ++l) {
        for (std::size_t s = 0; s < segments && row < task.rows; ++s, ++row) codes[s * V::count + l] = task.query[row];
    }
    for (std::size_t c = 0; c < static_cast<std::size_t>(task.letters); ++c) {
        const auto table = V::table(*task.tables, static_cast<Code>(c));
        for (std::size_t s = 0; s < segments; ++s, profile += V::count)
            V::store(profile, V::look_up(table, V::letters(codes + s * V::count)));
    }
}

// The cost of a number of gap letters, in two halves since lanes of 8 and 16 bits are signed.
template <class V>
struct Cost {
    V half = V::of(0), rest = V::of(0);
    bool leaves_something = false;  // false: the gap costs more than a lane holds

    Cost() = default;
    explicit Cost(std::int64_t cost) : leaves_something(cost < V::limit) {
        if (!leaves_something) return;
        half = V::of(static_cast<int>(cost / 2));
        rest = V::of(static_cast<int>(cost - cost / 2));
    }
    V taken_from(V a) const { return V::subtract(V::subtract(a, half), rest); }
};

// The costs of carrying a gap over 1, 2, 4, … lanes, and to a lane's last row.
template <class V>
struct CarryCosts {
    static constexpr std::size_t doublings = std::bit_width(V::count) - 1;

    std::array<Cost<V>, doublings> of_lanes;
    Cost<V> of_last_row;

    CarryCosts(std::size_t segments, int gap_further)
        : of_last_row(static_cast<std::int64_t>(segments - 1) * gap_further) {
        for (std::size_t d = 0; d < doublings; ++d)
            of_lanes[d] = Cost<V>((static_cast<std::int64_t>(segments) * gap_further) << d);
    }
};

// f[l] becomes the highest value that reaches lane l from any earlier lane.
template <class V, std::size_t doubling = 0>
V carried(V f, const CarryCosts<V>& costs) {
    if constexpr (doubling == CarryCosts<V>::doublings) {
        return f;
    } else {
        const Cost<V>& cost = costs.of_lanes[doubling];
        if (!cost.leaves_something) return f;
        const V from_before = V::template shifted<std::size_t{1} << doubling>(f);
        return carried<V, doubling + 1>(V::max(f, cost.taken_from(from_before)), costs);
    }
}

template <class V>
struct Columns {
    typename V::Lane *h, *h_before, *e;  // of all segments: H, H of the column before, and E
    std::size_t size;
    V gap_first, gap_further;
};

// Computes a column from the one before. If `carries`, `carry` (gaps that come from the lanes above) is still to be
// added to that one. Returns what F leaves in each lane. Takes arguments by value: stores of lanes might alias
// references.
template <class V, bool carries>
V next_column(const Columns<V> of, const typename V::Lane* scores, V carry, const CarryCosts<V>& costs,
              V& best_so_far) {
    V f = V::zero(), best = best_so_far, above = V::load(of.h_before + of.size - V::count);
    if (carries && costs.of_last_row.leaves_something) above = V::max(above, costs.of_last_row.taken_from(carry));
    V diagonal = V::shifted(above);
    for (std::size_t i = 0; i < of.size; i += V::count) {
        V gap = V::load(of.e + i);
        if (carries) gap = V::max(gap, V::subtract(carry, of.gap_first));
        const V without_f = V::max(V::add(diagonal, V::load(scores + i)), gap);
        V cell = V::max(without_f, f);
        if (!V::saturates) cell = V::max(cell, V::zero());
        best = V::max(best, cell);
        V::store(of.h + i, cell);
        V::store(of.e + i, V::max(V::subtract(gap, of.gap_further), V::subtract(cell, of.gap_first)));
        // A gap that ends here and opens anew costs more than one that continues, so F need not wait for the cell.
        f = V::max(V::subtract(f, of.gap_further), V::subtract(without_f, of.gap_first));
        diagonal = V::load(of.h_before + i);
        if (carries) {
            diagonal = V::max(diagonal, carry);
            carry = V::subtract(carry, of.gap_further);
        }
    }
    best_so_far = best;
    return f;
}

// Converts a column between lanes and rows.
template <class V>
void read_rows(const std::int32_t* rows, const StripedTask& task, std::size_t segments, typename V::Lane* lanes) {
    std::fill_n(lanes, segments * V::count, static_cast<typename V::Lane>(V::offset));
    if (task.column == 0) return;
    for (std::size_t l = 0, row = 0; row < task.rows; ++l) {
        for (std::size_t s = 0; s < segments && row < task.rows; ++s, ++row)
            lanes[s * V::count + l] = static_cast<typename V::Lane>(rows[row] + V::offset);
    }
}
template <class V>
void write_rows(const typename V::Lane* lanes, const StripedTask& task, std::size_t segments, std::int32_t* rows) {
    for (std::size_t l = 0, row = 0; row < task.rows; ++l) {
        for (std::size_t s = 0; s < segments && row < task.rows; ++s, ++row)
            rows[row] = std::max(lanes[s * V::count + l] - V::offset, 0);
    }
}

// Finds the row of the column that exceeds the best of all earlier columns. Returns its value in all lanes.
template <class V>
V find_best(StripedTask& task, const typename V::Lane* h, std::size_t segments, V best) {
    const auto found = [&](std::size_t row, V value) {
        task.query_end = static_cast<std::uint32_t>(row + 1);
        task.text_end = static_cast<std::uint32_t>(task.column + 1);
        return value;
    };
    // It is mostly on the same diagonal as the previous best.
    const std::size_t next = task.query_end + task.column - task.text_end;
    if (next < task.rows) {
        const V value = V::of(h[next % segments * V::count + next / segments]);
        if (!V::any_greater(best, value)) return found(next, value);
    }
    std::array<std::int32_t, lanes_max> scores;
    lane_scores(best, scores);
    const auto highest =
        static_cast<typename V::Lane>(*std::max_element(scores.begin(), scores.begin() + V::count) + V::offset);
    const auto place = static_cast<std::size_t>(std::find(h, h + segments * V::count, highest) - h);
    return found(place % V::count * segments + place / V::count, V::of(highest));
}

template <class V, bool places>
void run_striped(StripedTask& task) {
    using Lane = typename V::Lane;
    const std::int64_t room = V::limit - std::int64_t{columns_between_checks} * task.tables->highest;
    if (task.best > room) return;
    const std::size_t segments = (task.rows + V::count - 1) / V::count, size = segments * V::count;
    auto* state = static_cast<Lane*>(task.state);
    Columns<V> column{
        state, state + size, state + 2 * size, size, V::of(task.tables->gap_first), V::of(task.tables->gap_further)};
    Lane* profile = state + 3 * size;
    striped_profile<V>(task, segments, reinterpret_cast<Code*>(profile + static_cast<std::size_t>(task.letters) * size),
                       profile);
    read_rows<V>(task.h, task, segments, column.h);
    read_rows<V>(task.e, task, segments, column.e);
    const CarryCosts<V> costs(segments, task.tables->gap_further);
    const V enough = V::of(static_cast<int>(std::min<std::int64_t>(room, task.threshold - 1)) + V::offset);
    V best = V::of(task.best + V::offset), carry = V::zero();
    [[maybe_unused]] V best_before = best;
    bool carries = false;
    while (task.column < task.stop && !V::any_greater(best, enough)) {
        const std::size_t end = std::min(task.column + columns_between_checks, task.stop);
        for (; task.column < end; ++task.column) {
            const Lane* scores = profile + task.text[task.column] * size;
            std::swap(column.h, column.h_before);
            const V f = V::shifted(carries ? next_column<V, true>(column, scores, carry, costs, best)
                                           : next_column<V, false>(column, scores, carry, costs, best));
            carries = V::any_greater(f, V::subtract(V::load(column.h), column.gap_first));
            if (carries) carry = carried<V>(f, costs);  // else the rows below already had as much
            if constexpr (places) {
                if (V::any_greater(best, best_before)) best_before = find_best<V>(task, column.h, segments, best);
            }
        }
    }
    std::array<std::int32_t, lanes_max> scores;
    lane_scores(best, scores);
    task.best = *std::max_element(scores.begin(), scores.begin() + V::count);
    if (task.done()) return;
    for (std::size_t i = 0; carries && i < size; i += V::count) {
        V::store(column.h + i, V::max(V::load(column.h + i), carry));
        V::store(column.e + i, V::max(V::load(column.e + i), V::subtract(carry, column.gap_first)));
        carry = V::subtract(carry, column.gap_further);
    }
    write_rows<V>(column.h, task, segments, task.h);
    write_rows<V>(column.e, task, segments, task.e);
}

template <class V>
void align_striped(StripedTask& task) {
    task.places ? run_striped<V, true>(task) : run_striped<V, false>(task);
}
