// Damages XML at random, and prepares it for expat. Shared by tests that compare with expat.
#pragma once

#include <cstddef>
#include <random>
#include <string>

#include "tests/support/seed.hpp"

namespace sluice::feed {

class Mutator {
public:
    explicit Mutator(unsigned seed) : random_(static_cast<unsigned>(testing::seed(seed))) {}

    std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

    // Removes, repeats or inserts a piece.
    void mutate(std::string& text);

private:
    std::mt19937 random_;
};

// Replaces references to HTML's entities, which expat does not know.
std::string without_html_entities(std::string text);

}  // namespace sluice::feed
