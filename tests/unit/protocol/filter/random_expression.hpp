// Random filters over a small vocabulary, for tests of properties of all filters. Equal seeds give equal filters.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "tests/support/seed.hpp"

namespace sluice::filter {

class RandomExpression {
public:
    // `extended`: also with variables and the functions beyond XPath 1.0.
    explicit RandomExpression(unsigned seed, bool extended = false)
        : random_(static_cast<unsigned>(testing::seed(seed))), extended_(extended) {}

    std::string filter() { return chance(4) ? selection(3) : expression(4); }
    std::string expression(int depth);

    bool chance(unsigned one_in) { return random_() % one_in == 0; }
    std::string one_of(const std::vector<std::string>& list) { return list[random_() % list.size()]; }
    std::size_t below(std::size_t n) { return random_() % n; }

private:
    std::string selection(int depth);
    std::string path(int depth);
    std::string step(int depth);
    std::string node_set(int depth);
    std::string text(int depth);
    std::string number(int depth);
    std::string constant();
    std::string any(int depth);
    std::string space() { return one_of({"", "", " ", "  ", "\n"}); }

    std::string extension();
    std::string of_value();
    std::string computed(const std::string& of);

    std::mt19937 random_;
    bool extended_;
};

}  // namespace sluice::filter
