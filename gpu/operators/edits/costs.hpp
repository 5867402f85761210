// The costs of edits. A character of the pattern is deleted, a character of the text inserted, or one substituted for
// the other. Pure functions, callable from any thread. The named tables, as deletion, insertion, substitution:
//
//   unit    1, 1, 1
//   typing  2, 2, and for a substitution the distance between the two keys on a US QWERTY keyboard, in keys: 1 for
//           neighbours and for the same key with or without shift, 2, or 3 for all others and characters on no key
//   vowels  2, 1, and for a substitution 1 if both are vowels or both consonants (of a-z, any case), else 2: the
//           example of Nunes 2018, section 3.2.2
//
// A user's own table is a CostMatrix, such as one from a file (cost_file.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::edits {

enum class CostTable : std::uint8_t { unit, typing, vowels };

// "unit", "typing" or "vowels".
std::optional<CostTable> cost_table(std::string_view name);

// The costs of substituting some characters for each other, and `other` for all substitutions that involve another
// character. Deletion and insertion cost at least 1.
struct CostMatrix {
    std::uint8_t deletion = 1, insertion = 1, other = 1;
    std::string characters;                  // ASCII, each once, at most Costs::matrix_characters_max
    std::vector<std::uint8_t> substitution;  // [index of x * characters.size() + index of y]; 0 if x is y
};

class Costs {
public:
    // The cost of a substitution depends on the kinds of the two characters.
    static constexpr unsigned kinds_max = 64;
    // Each character of a matrix is a kind of its own; the remaining kind is that of all others.
    static constexpr std::size_t matrix_characters_max = kinds_max - 1;

    Costs(CostTable table);  // implicit, so that a table's name is accepted wherever costs are
    explicit Costs(const CostMatrix& matrix);

    // Whether every edit costs 1, as bit-parallel matching needs.
    bool unit() const { return unit_; }

    std::uint32_t deletion() const { return deletion_; }
    std::uint32_t insertion() const { return insertion_; }
    std::uint32_t substitution(char32_t x, char32_t y) const { return x == y ? 0 : substitution_[kind(x)][kind(y)]; }

    // substitution(x, y) of two different characters depends only on their kinds. kind < kinds_max.
    unsigned kind(char32_t c) const { return c < 128 ? kind_[c] : 0; }
    std::uint32_t substitution_of_kinds(unsigned x, unsigned y) const { return substitution_[x][y]; }

    // No substring with more characters than this is nearer to a pattern of m characters than the empty one, which
    // costs m deletions, since all characters beyond m must be inserted.
    std::uint64_t longest_substring(std::uint64_t m) const { return m + m * deletion_ / insertion_; }

private:
    void set_typing();
    void set_vowels();

    bool unit_ = false;
    std::uint32_t deletion_ = 1, insertion_ = 1;
    std::uint8_t kind_[128] = {};  // 0: no particular kind
    std::uint8_t substitution_[kinds_max][kinds_max] = {};
};

}  // namespace sluice::edits
