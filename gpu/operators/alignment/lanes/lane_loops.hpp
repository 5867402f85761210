// Included by kernels_*.cpp inside their namespaces, with the vector classes of an instruction set. A class V has
// `count` lanes of type V::Lane and the operations used below. If V::saturates, its lowest value stands for 0 in local
// alignments, so that saturation replaces max(0, …).

// A strip of `columns` letters of the text, from top to bottom. The cells above are in registers. `state` holds the
// cells to the left (for each row H, and E of the next column); the strip overwrites them for the next strip.
template <class V, bool local, std::size_t columns>
void lane_strip(const LaneTask& task, std::size_t first_column, V corner, V& best, V& edge) {
    using Lane = typename V::Lane;
    const ScoreTables& tables = *task.tables;
    const V gap_first = V::of(tables.gap_first), gap_further = V::of(tables.gap_further);
    const auto above_of = [&](std::size_t column) {
        if (local) return V::zero();
        return V::of(-(tables.gap_first + static_cast<int>(column) * tables.gap_further));
    };
    V h[columns], f[columns];
    typename V::Table table[columns];
    for (std::size_t w = 0; w < columns; ++w) {
        const std::size_t column = first_column + w;
        h[w] = above_of(column);
        f[w] = V::subtract(h[w], gap_first);
        table[w] = V::table(tables, column < task.text_length ? task.text[column] : null_code);
    }
    Lane* state = static_cast<Lane*>(task.state);
    const Code* codes = task.queries;
    V diagonal = corner;
    for (std::size_t row = 0; row < task.rows; ++row, codes += V::count, state += 2 * V::count) {
        const auto letters = V::letters(codes);
        const V left = V::load(state);
        V e = V::load(state + V::count);
        V next_diagonal = left;
#pragma GCC unroll 8
        for (std::size_t w = 0; w < columns; ++w) {
            const V matched = V::add(diagonal, V::look_up(table[w], letters));
            diagonal = h[w];
            V cell = V::max(V::max(matched, f[w]), e);
            if (local && !V::saturates) cell = V::max(cell, V::zero());
            if (local) best = V::max(best, cell);
            const V opened = V::subtract(cell, gap_first);
            e = V::max(V::subtract(e, gap_further), opened);
            f[w] = V::max(V::subtract(f[w], gap_further), opened);
            h[w] = cell;
        }
        diagonal = next_diagonal;
        if (local) edge = V::max(edge, h[columns - 1]);
        V::store(state, h[columns - 1]);
        V::store(state + V::count, e);
    }
}

// Converts lane values to scores.
template <class V>
void lane_scores(V values, std::array<std::int32_t, lanes_max>& scores) {
    alignas(64) typename V::Lane lanes[V::count];
    V::store(lanes, values);
    for (std::size_t l = 0; l < V::count; ++l) scores[l] = static_cast<std::int32_t>(lanes[l]) - V::offset;
}

// Returns whether no lane needs the rest of the text.
template <class V>
bool all_decided(const LaneTask& task, V best, V edge, std::size_t columns_left) {
    std::array<std::int32_t, lanes_max> reached, open;
    lane_scores(best, reached);
    lane_scores(edge, open);
    const auto gain = static_cast<std::int64_t>(columns_left) * task.tables->highest;
    for (std::size_t l = 0; l < V::count; ++l) {
        if (reached[l] < task.thresholds[l] && std::max(open[l], 0) + gain >= task.thresholds[l]) return false;
    }
    return true;
}

template <class V>
std::size_t lanes_exceeded(V best) {
    std::array<std::int32_t, lanes_max> reached;
    lane_scores(best, reached);
    return static_cast<std::size_t>(
        std::count_if(reached.begin(), reached.begin() + V::count, [](auto score) { return score >= V::limit; }));
}

template <class V, bool local>
void lane_borders(const LaneTask& task) {
    auto* state = static_cast<typename V::Lane*>(task.state);
    for (std::size_t row = 0; row < task.rows; ++row, state += 2 * V::count) {
        const int cost = task.tables->gap_first + static_cast<int>(row) * task.tables->gap_further;
        const V h = local ? V::zero() : V::of(-cost);
        V::store(state, h);
        V::store(state + V::count, V::subtract(h, V::of(task.tables->gap_first)));
    }
}

template <class V>
bool align_lanes_local(const LaneTask& task) {
    lane_borders<V, true>(task);
    V best = V::zero();
    bool done = false;
    for (std::size_t column = 0; column < task.text_length && !done; column += V::columns) {
        V edge = V::zero();
        lane_strip<V, true, V::columns>(task, column, V::zero(), best, edge);
        const std::size_t next = column + V::columns;
        if (next % (4 * V::columns) != 0 || next >= task.text_length) continue;
        if (task.thresholds != nullptr) {
            done = all_decided(task, best, edge, task.text_length - next);
        } else if (V::saturates && lanes_exceeded(best) > V::count / 4) {
            return false;
        }
    }
    lane_scores(best, *task.scores);
    return true;
}

template <class V>
bool align_lanes_global(const LaneTask& task) {
    lane_borders<V, false>(task);
    const auto corner = [&](std::size_t column) {
        const int cost = task.tables->gap_first + (static_cast<int>(column) - 1) * task.tables->gap_further;
        return column == 0 ? V::of(0) : V::of(-cost);
    };
    V unused = V::zero();
    std::size_t column = 0;
    for (; column + V::columns <= task.text_length; column += V::columns)
        lane_strip<V, false, V::columns>(task, column, corner(column), unused, unused);
    for (; column < task.text_length; ++column) lane_strip<V, false, 1>(task, column, corner(column), unused, unused);
    const auto* state = static_cast<const typename V::Lane*>(task.state);
    for (std::size_t l = 0; l < V::count; ++l) {
        const std::size_t row = task.lengths[l];  // the last row's H, at the last column
        const int border =
            task.text_length == 0
                ? 0
                : -(task.tables->gap_first + (static_cast<int>(task.text_length) - 1) * task.tables->gap_further);
        (*task.scores)[l] = row == 0 ? border : static_cast<std::int32_t>(state[2 * (row - 1) * V::count + l]);
    }
    return true;
}

template <class V>
bool align_lanes(const LaneTask& task) {
    return task.mode == Mode::local ? align_lanes_local<V>(task) : align_lanes_global<V>(task);
}
