// The places of the characters of some patterns, in the layout of bit-parallel matching: patterns that share a text are
// placed side by side, one per lane, so the words of a text's character are contiguous in memory.
//
// table[(row * words + w) * lanes + l]: the places of a character in word w of pattern l. Patterns end at the highest
// bit of their last word. The bits below their first character are padding: rows above the first row of the matrix that
// must behave like it. Padding matches every character if substrings are compared (a row of zeros), and none if whole
// texts are. Row 0 is for characters that are in none of the patterns.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace sluice::edits {

// Allocates memory on cache lines, so that no vector straddles two.
template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::size_t line = 64;

    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{line})); }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{line}); }
    bool operator==(const LineAllocator&) const { return true; }
};
template <class T>
using LineVector = std::vector<T, LineAllocator<T>>;

template <class Word>
struct MatchTable {
    static constexpr std::size_t bits = 8 * sizeof(Word);

    std::uint32_t words = 0, lanes = 0;
    std::vector<std::uint32_t> row_of;  // [class]: the offset of its row in `table`
    LineVector<Word> table;
    LineVector<Word> inside;  // [lane]: the bits of the first word that are not padding

    // `patterns` are at most `lanes` sequences of classes below `classes`, each at most words * bits long.
    MatchTable(std::span<const std::span<const std::uint32_t>> patterns, std::uint32_t lanes_of_table,
               std::uint32_t words_of_pattern, std::uint32_t classes, bool padding_matches)
        : words(words_of_pattern), lanes(lanes_of_table), row_of(classes, 0), inside(lanes, Word{0}) {
        const std::size_t row = std::size_t{words} * lanes;
        std::uint32_t rows = 1;
        for (const auto pattern : patterns) {
            for (const std::uint32_t c : pattern) {
                if (row_of[c] == 0) row_of[c] = static_cast<std::uint32_t>(rows++ * row);
            }
        }
        table.assign(rows * row, Word{0});
        for (std::size_t l = 0; l < patterns.size(); ++l) place(patterns[l], l, padding_matches ? rows : 0);
    }

private:
    void place(std::span<const std::uint32_t> pattern, std::size_t lane, std::uint32_t padded_rows) {
        const std::size_t padding = words * bits - pattern.size();
        const auto set = [&](std::size_t row_begin, std::size_t bit) {
            table[row_begin + bit / bits * lanes + lane] |= static_cast<Word>(Word{1} << (bit % bits));
        };
        for (std::size_t i = 0; i < pattern.size(); ++i) set(row_of[pattern[i]], padding + i);
        for (std::size_t row = 0; row < padded_rows; ++row) {
            for (std::size_t bit = 0; bit < padding; ++bit) set(row * words * lanes, bit);
        }
        inside[lane] = padding >= bits ? Word{0} : static_cast<Word>(~Word{0} << padding);
    }
};

}  // namespace sluice::edits
