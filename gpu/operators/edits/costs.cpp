#include "gpu/operators/edits/costs.hpp"

#include <algorithm>
#include <cstdlib>

namespace sluice::edits {

namespace {

constexpr std::string_view table_names[] = {"unit", "typing", "vowels"};

// The keys by row and position, without and with shift.
constexpr int keyboard_rows = 4;
constexpr std::string_view plain_keys[keyboard_rows] = {"1234567890-=", "qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./"};
constexpr std::string_view shift_keys[keyboard_rows] = {"!@#$%^&*()_+", "QWERTYUIOP{}", "ASDFGHJKL:\"", "ZXCVBNM<>?"};
constexpr std::uint8_t typing_farthest = 3;

struct Key {
    int row, place;
};
// Each row is offset half a key to the right of the one above, so a key touches two of them: a hexagonal grid.
int keys_between(Key a, Key b) {
    const int rows = a.row - b.row, places = a.place - b.place;
    return (std::abs(rows) + std::abs(places) + std::abs(rows + places)) / 2;
}

constexpr std::uint8_t vowel = 1, consonant = 2;

}  // namespace

std::optional<CostTable> cost_table(std::string_view name) {
    const auto* found = std::find(std::begin(table_names), std::end(table_names), name);
    if (found == std::end(table_names)) return std::nullopt;
    return static_cast<CostTable>(found - std::begin(table_names));
}

Costs::Costs(CostTable table) : unit_(table == CostTable::unit) {
    substitution_[0][0] = 1;
    if (table == CostTable::typing) set_typing();
    if (table == CostTable::vowels) set_vowels();
}

Costs::Costs(const CostMatrix& matrix) : deletion_(matrix.deletion), insertion_(matrix.insertion) {
    for (auto& row : substitution_) std::fill(std::begin(row), std::end(row), matrix.other);
    unit_ = deletion_ == 1 && insertion_ == 1 && matrix.other == 1;
    const std::size_t n = matrix.characters.size();
    for (std::size_t x = 0; x < n; ++x) {
        kind_[static_cast<unsigned char>(matrix.characters[x])] = static_cast<std::uint8_t>(x + 1);
        for (std::size_t y = 0; y < n; ++y) {
            if (x == y) continue;  // no other character has this kind
            substitution_[x + 1][y + 1] = matrix.substitution[x * n + y];
            unit_ = unit_ && substitution_[x + 1][y + 1] == 1;
        }
    }
}

void Costs::set_typing() {
    deletion_ = insertion_ = 2;
    for (auto& row : substitution_) std::fill(std::begin(row), std::end(row), typing_farthest);
    Key keys[kinds_max];
    unsigned n = 1;
    for (int row = 0; row < keyboard_rows; ++row) {
        for (std::size_t place = 0; place < plain_keys[row].size(); ++place, ++n) {
            keys[n] = {row, static_cast<int>(place)};
            for (const auto* layout : {plain_keys, shift_keys})
                kind_[static_cast<unsigned char>(layout[row][place])] = static_cast<std::uint8_t>(n);
        }
    }
    for (unsigned a = 1; a < n; ++a) {
        for (unsigned b = 1; b < n; ++b)
            substitution_[a][b] = static_cast<std::uint8_t>(std::clamp(keys_between(keys[a], keys[b]), 1, 3));
    }
}

void Costs::set_vowels() {
    deletion_ = 2;
    for (auto& row : substitution_) std::fill(std::begin(row), std::end(row), std::uint8_t{2});
    substitution_[vowel][vowel] = substitution_[consonant][consonant] = 1;
    for (char c = 'a'; c <= 'z'; ++c) {
        const bool is_vowel = std::string_view("aeiou").find(c) != std::string_view::npos;
        kind_[static_cast<unsigned char>(c)] = is_vowel ? vowel : consonant;
        kind_[static_cast<unsigned char>(c - 'a' + 'A')] = kind_[static_cast<unsigned char>(c)];
    }
}

}  // namespace sluice::edits
