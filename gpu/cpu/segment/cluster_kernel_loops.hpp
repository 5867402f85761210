// The loops of cluster_kernel.hpp, included by one source file per instruction set, each of which wraps them in its own
// namespace. Plain loops only: if an inline function of the standard library were compiled here, the linker might keep
// that copy for the whole program, which would then need the instruction set everywhere.

// Few words per literal: all rows of the block advance together, literal by literal.
template <std::size_t words, class Column>
std::size_t match_columns(const ClusterBlock& block, const Column* columns, const std::uint32_t* masks,
                          ClusterHit* hits) {
    const std::size_t rows = block.rows;
    std::uint32_t events[ClusterBlock::rows_max * words];
    for (std::size_t w = 0; w < words; ++w) {
        for (std::size_t r = 0; r < rows; ++r) events[w * rows + r] = masks[words * block.access + w];
    }
    for (std::size_t j = 0; j < block.literals; ++j) {
        const Column* column = columns + block.first_column + j * rows;
        std::uint32_t any = 0;
        for (std::size_t w = 0; w < words; ++w) {
            for (std::size_t r = 0; r < rows; ++r) {
                events[w * rows + r] &= masks[words * column[r] + w];
                any |= events[w * rows + r];
            }
        }
        if (any == 0) return 0;
    }
    std::size_t n = 0;
    for (std::size_t w = 0; w < words; ++w) {
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint32_t accepted = events[w * rows + r];
            hits[n].row = block.first_row + static_cast<std::uint32_t>(r);
            hits[n].word = static_cast<std::uint32_t>(w);
            hits[n].events = accepted;
            n += accepted != 0 ? 1 : 0;
        }
    }
    return n;
}

// Many words per literal: row by row, all words of a row at once. First all rows, without a branch that could be
// mispredicted, then the few rows with events left.
template <std::size_t words, class Column>
std::size_t cluster_rows(const ClusterBlock& block, const Column* columns, const std::uint32_t* masks,
                         ClusterHit* hits) {
    const std::size_t rows = block.rows;
    std::uint32_t events[ClusterBlock::rows_max][words];
    std::uint16_t alive[ClusterBlock::rows_max];
    std::size_t alive_rows = 0;
    for (std::size_t r = 0; r < rows; ++r) {
        const std::size_t column = block.first_column + r;  // unused if the block has no literals
        std::uint32_t left[words];
        for (std::size_t w = 0; w < words; ++w) left[w] = masks[words * block.access + w];
        for (std::size_t j = 0; j < block.literals; ++j) {
            const std::uint32_t* mask = masks + words * columns[column + j * rows];
            for (std::size_t w = 0; w < words; ++w) left[w] &= mask[w];
        }
        std::uint32_t any = 0;
        for (std::size_t w = 0; w < words; ++w) any |= left[w];
        for (std::size_t w = 0; w < words; ++w) events[alive_rows][w] = left[w];
        alive[alive_rows] = static_cast<std::uint16_t>(r);
        alive_rows += any != 0 ? 1 : 0;
    }
    std::size_t n = 0;
    for (std::size_t i = 0; i < alive_rows; ++i) {
        for (std::size_t w = 0; w < words; ++w) {
            hits[n].row = block.first_row + alive[i];
            hits[n].word = static_cast<std::uint32_t>(w);
            hits[n].events = events[i][w];
            n += events[i][w] != 0 ? 1 : 0;
        }
    }
    return n;
}

template <class Column>
std::size_t match_block(const ClusterBlock& block, const Column* columns, const std::uint32_t* masks, std::size_t words,
                        ClusterHit* hits) {
    std::uint32_t any = 0;
    for (std::size_t w = 0; w < words; ++w) any |= masks[words * block.access + w];
    if (any == 0) return 0;
    switch (words) {
        case 1:
            return match_columns<1>(block, columns, masks, hits);
        case 2:
            return cluster_rows<2>(block, columns, masks, hits);
        case 4:
            return cluster_rows<4>(block, columns, masks, hits);
        case 8:
            return cluster_rows<8>(block, columns, masks, hits);
        default:
            return cluster_rows<16>(block, columns, masks, hits);
    }
}
