// A filter as a boolean formula over its leaves, in a form in which equal formulas have equal texts. Plain values; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sluice::filter {

struct Formula {
    enum class Kind : std::uint8_t { constant, leaf, negation, all, any };

    Kind kind = Kind::constant;
    bool value = false;          // of a constant
    std::size_t leaf = 0;        // index of a leaf
    std::vector<Formula> parts;  // one for a negation, two or more for all and any
    std::string text;            // canonical, as a filter
};

Formula make_constant(bool value);
Formula make_leaf(std::size_t leaf, std::string text);
Formula negate(Formula formula);

// Nested formulas of the same kind are merged in, parts are sorted by their text, duplicates and constants are removed.
Formula make_all(std::vector<Formula> parts);
Formula make_any(std::vector<Formula> parts);

}  // namespace sluice::filter
