// Included by lane_kernel_*.cpp inside their namespaces, after the vector classes: one local alignment with the query
// striped over the lanes (Farrar, Bioinformatics 23, 2007), for pairs that share their text with few others.

// The query's scores for each letter of a text: [letter][segment], lane l of segment s is letter l * segments + s.
template <class V>
void striped_profile(const StripedTask& task, std::size_t segments, typename V::Lane* profile) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(task.letters); ++c) {
        for (std::size_t s = 0; s < segments; ++s) {
            for (std::size_t l = 0; l < V::count; ++l) {
                const std::size_t row = l * segments + s;
                *profile++ =
                    V::score(*task.tables, static_cast<Code>(c), row < task.rows ? task.query[row] : null_code);
            }
        }
    }
}

// What F carries from one lane to the next: until it changes nothing.
template <class V>
void carry_f(V f, V gap_first, V gap_further, typename V::Lane* h, typename V::Lane* e, std::size_t segments) {
    for (std::size_t lane = 0; lane < V::count; ++lane) {
        f = V::shifted(f);
        for (std::size_t s = 0; s < segments; ++s) {
            const V before = V::load(h + s * V::count), cell = V::max(before, f);
            V::store(h + s * V::count, cell);
            V::store(e + s * V::count, V::max(V::load(e + s * V::count), V::subtract(cell, gap_first)));
            f = V::subtract(f, gap_further);
            if (!V::any_greater(f, V::subtract(before, gap_first))) return;  // what is below had as much already
        }
    }
}

template <class V>
std::int32_t align_striped(const StripedTask& task) {
    using Lane = typename V::Lane;
    const std::size_t segments = (task.rows + V::count - 1) / V::count, column = segments * V::count;
    Lane *h = static_cast<Lane*>(task.state), *h_before = h + column, *e = h_before + column, *profile = e + column;
    striped_profile<V>(task, segments, profile);
    const V gap_first = V::of(task.tables->gap_first), gap_further = V::of(task.tables->gap_further);
    for (std::size_t i = 0; i < column; i += V::count) {
        V::store(h + i, V::zero());
        V::store(e + i, V::zero());
    }
    V best = V::zero();
    std::array<std::int32_t, lanes_max> reached;
    const auto score = [&] {
        lane_scores(best, reached);
        return *std::max_element(reached.begin(), reached.begin() + V::count);
    };
    for (std::size_t j = 0; j < task.text_length; ++j) {
        const Lane* scores = profile + task.text[j] * column;
        V f = V::zero(), diagonal = V::shifted(V::load(h + column - V::count));
        std::swap(h, h_before);
        for (std::size_t i = 0; i < column; i += V::count) {
            const V gap = V::load(e + i);
            V cell = V::max(V::max(V::add(diagonal, V::load(scores + i)), gap), f);
            if (!V::saturates) cell = V::max(cell, V::zero());
            best = V::max(best, cell);
            V::store(h + i, cell);
            const V opened = V::subtract(cell, gap_first);
            V::store(e + i, V::max(V::subtract(gap, gap_further), opened));
            f = V::max(V::subtract(f, gap_further), opened);
            diagonal = V::load(h_before + i);
        }
        carry_f(f, gap_first, gap_further, h, e, segments);
        if (j % 64 == 63 && score() >= std::min(task.threshold, V::limit)) break;
    }
    return score();
}
