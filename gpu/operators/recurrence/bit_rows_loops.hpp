// The loops of bit_rows.hpp, included by one source file per instruction set inside its namespace, after `Words` (a
// vector register of std::uint64_t) and add_popcount. They use no functions of the standard library: see
// gpu/cpu/segment/cluster_kernel_loops.hpp.

constexpr std::size_t chunk_rows = 128;  // 12 KiB with the rows after them, so all passes stay in the L1 cache
constexpr std::size_t lanes = sizeof(Words) / 8;

struct Chunk {
    alignas(64) std::uint64_t row[chunk_rows + shortest_line_max + 2][BitBlock::words];
};

inline void load(const std::uint64_t* from, Words& to) { __builtin_memcpy(&to, from, sizeof to); }
inline void store(const Words& from, std::uint64_t* to) { __builtin_memcpy(to, &from, sizeof from); }
// Column c of the result is column c + bits of the row (0 < bits < 64). Its last `bits` columns come from the next row.
inline void load_shifted(const std::uint64_t* row, unsigned bits, Words& to) {
    Words low, high;
    load(row, low);
    load(row + 1, high);
    to = (low >> bits) | (high << (64 - bits));
}
inline std::uint64_t total(const Words& sums) {
    std::uint64_t sum = 0;
    for (std::size_t w = 0; w < lanes; ++w) sum += sums[w];
    return sum;
}

// Builds rows first … first + count - 1 of the block; rows below the matrix are empty.
inline void fill(const BitBlock& block, std::size_t first, std::size_t count, Chunk& chunk) {
    const std::size_t inside = first >= block.rows ? 0 : (block.rows - first < count ? block.rows - first : count);
    for (std::size_t k = 0; k < inside; ++k) {
        const std::uint64_t* before = block.prefix[block.below[block.first[first + k]]];
        const std::uint64_t* through = block.prefix[block.below[block.end[first + k]]];
        for (std::size_t w = 0; w < BitBlock::words; w += lanes) {
            Words a, b;
            load(before + w, a);
            load(through + w, b);
            store(a ^ b, chunk.row[k] + w);
        }
    }
    __builtin_memset(chunk.row[inside], 0, (count - inside) * sizeof chunk.row[0]);
}

// The passes below count in the columns of `own`, a mask for the words of each row from w on.

inline void count_pairs(const Chunk& chunk, std::size_t w, std::size_t count, const Words& own, Stretches& sums) {
    Words pairs = {}, triples = {}, row, next, after;
    for (std::size_t k = 0; k < count; ++k) {
        load(chunk.row[k] + w, row);
        load_shifted(chunk.row[k + 1] + w, 1, next);
        load_shifted(chunk.row[k + 2] + w, 2, after);
        const Words pair = row & own & next;
        add_popcount(pair, pairs);
        add_popcount(pair & after, triples);
    }
    sums.min += total(pairs);
    sums.next += total(triples);
}

// ANDs the diagonal's cells in rows k … k + shortest - 1 into row k, by doubling, for rows 0 … count.
inline void and_rows(Chunk& chunk, std::size_t count, std::uint32_t shortest) {
    std::size_t rows = count + shortest;
    for (std::uint32_t length = 1; length < shortest;) {
        const std::uint32_t step = length < shortest - length ? length : shortest - length;
        rows -= step;
        for (std::size_t k = 0; k < rows; ++k) {
            for (std::size_t w = 0; w < BitBlock::words; w += lanes) {
                Words row, other;
                load(chunk.row[k] + w, row);
                load_shifted(chunk.row[k + step] + w, step, other);
                store(row & other, chunk.row[k] + w);
            }
        }
        length += step;
    }
}

// Must be called after and_rows.
inline void count_stretches(const Chunk& chunk, std::size_t w, std::size_t count, const Words& own, Stretches& sums) {
    Words mins = {}, nexts = {};
    for (std::size_t k = 0; k < count; ++k) {
        Words row, other;
        load(chunk.row[k] + w, row);
        load_shifted(chunk.row[k + 1] + w, 1, other);
        row &= own;
        add_popcount(row, mins);
        add_popcount(row & other, nexts);
    }
    sums.min += total(mins);
    sums.next += total(nexts);
}

void count(const BitBlock& block, std::uint32_t l_min, Stretches& diagonal) {
    std::uint64_t own_columns[BitBlock::words] = {};
    for (std::size_t c = 0; c < block.own_columns; ++c) own_columns[c / 64] |= std::uint64_t{1} << c % 64;
    Chunk chunk;
    for (std::size_t first = 0; first < block.own_rows; first += chunk_rows) {
        const std::size_t count = block.own_rows - first < chunk_rows ? block.own_rows - first : chunk_rows;
        fill(block, first, count + l_min + 2, chunk);
        if (l_min != 2) and_rows(chunk, count, l_min);
        Words own;
        for (std::size_t w = 0; w < BitBlock::words; w += lanes) {
            load(own_columns + w, own);
            if (l_min == 2)
                count_pairs(chunk, w, count, own, diagonal);
            else
                count_stretches(chunk, w, count, own, diagonal);
        }
    }
}
