// Included by asm_lanes*.cpp inside their namespaces. Loops over a strip's 32 rows are written so that the compiler
// turns them into vectors.

constexpr int strip_rows = 32, strips_max = static_cast<int>(asm_pattern_max) / strip_rows;
constexpr int steps_between_stops = 4096;

inline int smaller(int a, int b) { return a < b ? a : b; }

// O-ASM: the matrix by anti-diagonals. Cell (i, j) is on diagonal i + j - 1 and kept in e[diagonal mod 3][i], so a
// diagonal is computed from the two before it.
template <bool unit>
std::uint32_t diagonals(const AsmJob& job) {
    const int m = static_cast<int>(job.m), n = static_cast<int>(job.n);
    int e[3][asm_pattern_max + 1];
    int kind[asm_pattern_max + 1];
    for (int i = 1; i <= m; ++i) kind[i] = unit ? 0 : job.x_kinds[i - 1] * static_cast<int>(Costs::kinds_max);
    e[0][0] = e[1][0] = e[2][0] = 0;  // row 0 costs nothing
    e[0][1] = job.deletion;
    int least = m * job.deletion;
    for (int k = 1; k < n + m; ++k) {
        if (k % steps_between_stops == 0 && job.stop.load(std::memory_order_relaxed)) return 0;
        const int* __restrict before = e[(k + 2) % 3];
        const int* __restrict two_before = e[(k + 1) % 3];
        int* __restrict now = e[k % 3];
        const int first = k > n ? k - n + 1 : 1, last = smaller(k, m);
        const int back = n - k - 1;  // row i is at column k - i + 1
        for (int i = first; i <= last; ++i) {
            int substitution = job.x[i - 1] != job.y[back + i] ? 1 : 0;
            if constexpr (!unit) substitution *= job.substitution[kind[i] + static_cast<int>(job.y_kinds[back + i])];
            const int up_left = smaller(before[i] + job.insertion, before[i - 1] + job.deletion);
            now[i] = smaller(up_left, two_before[i - 1] + substitution);
        }
        if (k < m) now[k + 1] = (k + 1) * job.deletion;  // column 0
        if (k >= m) least = smaller(least, now[m]);
    }
    return static_cast<std::uint32_t>(least);
}

// 32 rows of the matrix, a lane each. In each step, lane t is t columns behind lane 0. a: the cell to the left, which
// becomes this column's cell; b: the cell above in the column before, which is the diagonal one of this column.
template <bool unit>
struct LaneStrip {
    int a[strip_rows], b[strip_rows];
    char32_t x[strip_rows];
    int kind[strip_rows];
    int above;  // the cell above lane 0 in column 0

    void begin(const AsmJob& job, int strip) {
        above = strip * strip_rows * job.deletion;
        for (int t = 0; t < strip_rows; ++t) {
            const int row = strip * strip_rows + t;
            const bool inside = row < static_cast<int>(job.m);
            x[t] = inside ? job.x[row] : 0;
            kind[t] = inside && !unit ? job.x_kinds[row] * static_cast<int>(Costs::kinds_max) : 0;
            b[t] = row * job.deletion;
            a[t] = b[t] + job.deletion;
        }
    }
    // Lane 0 computes column `j`; `up` is the cell above it. Lanes outside columns 1 … n keep their values, unless all
    // are `inside`.
    template <bool inside>
    void step(const AsmJob& job, int j, int up) {
        const int n = static_cast<int>(job.n), back = n - j;
        int above_lane[strip_rows], cell[strip_rows];
        above_lane[0] = up;
        for (int t = 1; t < strip_rows; ++t) above_lane[t] = a[t - 1];
        for (int t = 0; t < strip_rows; ++t) {
            int substitution = x[t] != job.y[back + t] ? 1 : 0;
            if constexpr (!unit) substitution *= job.substitution[kind[t] + static_cast<int>(job.y_kinds[back + t])];
            cell[t] = smaller(smaller(a[t] + job.insertion, above_lane[t] + job.deletion), b[t] + substitution);
        }
        for (int t = 0; t < strip_rows; ++t) {
            const bool active = inside || (j - t >= 1 && j - t <= n);
            a[t] = active ? cell[t] : a[t];
            b[t] = active ? above_lane[t] : b[t];
        }
    }
    void step(const AsmJob& job, int j, int up) {
        if (j >= strip_rows && j <= static_cast<int>(job.n))
            step<true>(job, j, up);
        else
            step<false>(job, j, up);
    }
};

inline bool in_text(const AsmJob& job, int j) { return j >= 1 && j <= static_cast<int>(job.n); }

// w-SCAN: all strips take a step; then the value of a strip's last row passes to the strip below. Each strip has two
// such words, used in turn.
template <bool unit>
std::uint32_t scan(const AsmJob& job) {
    const int m = static_cast<int>(job.m), n = static_cast<int>(job.n), strips = (m + strip_rows - 1) / strip_rows;
    LaneStrip<unit> strip[strips_max];
    int f[2][strips_max + 1];
    for (int s = 0; s < strips; ++s) {
        strip[s].begin(job, s);
        f[0][s] = f[1][s] = strip[s].above;
    }
    const int last_lane = (m - 1) % strip_rows;
    int least = m * job.deletion;
    for (int k = 1; k < n + m; ++k) {
        if (k % steps_between_stops == 0 && job.stop.load(std::memory_order_relaxed)) return 0;
        for (int s = 0; s < strips; ++s) {
            const int j = k - s * strip_rows;  // of lane 0
            if (j < 1) break;
            if (j - (strip_rows - 1) > n) continue;
            strip[s].step(job, j, f[k & 1][s]);
            if (in_text(job, j - (strip_rows - 1))) f[(k + 1) & 1][s + 1] = strip[s].a[strip_rows - 1];
        }
        if (in_text(job, k - (m - 1))) least = smaller(least, strip[strips - 1].a[last_lane]);
    }
    return static_cast<std::uint32_t>(least);
}

// w-Shuffle: a strip takes 32 steps at a time, and then passes the 32 values of its last row to the strip below, which
// runs 63 steps behind. Each strip has two such arrays, used in turn.
template <bool unit>
std::uint32_t shuffle(const AsmJob& job) {
    const int m = static_cast<int>(job.m), n = static_cast<int>(job.n), last_strip = (m - 1) / strip_rows;
    constexpr int lag = 2 * strip_rows - 1;
    LaneStrip<unit> strip[strips_max];
    int f[2][strips_max + 1][strip_rows] = {};
    for (int s = 0; s <= last_strip; ++s) strip[s].begin(job, s);
    const int last_lane = (m - 1) % strip_rows;
    int least = m * job.deletion;
    for (int k = 1, turn = 0; k <= n + lag * last_strip + strip_rows - 1; k += strip_rows, turn ^= 1) {
        if (job.stop.load(std::memory_order_relaxed)) return 0;
        for (int s = 0; s <= last_strip; ++s) {
            const int first = k - lag * s;  // lane 0's column in the first of the 32 steps
            if (first + strip_rows <= 1) break;
            if (first - strip_rows >= n) continue;
            const int* read = f[turn][s];
            int* write = f[turn ^ 1][s + 1];
            for (int q = 0; q < strip_rows; ++q) {
                const int j = first + q;
                strip[s].step(job, j, j < 1 ? strip[s].above : read[q]);
                write[q] = strip[s].a[strip_rows - 1];
                if (s == last_strip && in_text(job, j - last_lane)) least = smaller(least, strip[s].a[last_lane]);
            }
        }
    }
    return static_cast<std::uint32_t>(least);
}
