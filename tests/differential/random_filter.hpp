// Random filters of XPath 1.0, in both forms, over a vocabulary: simple leaves that the engine has an index for, any
// other expression, and every way to put them together.
#pragma once

#include <string>

#include "tests/differential/random.hpp"
#include "tests/differential/vocabulary.hpp"

namespace sluice {

struct RandomFilter {
    std::string text;
    bool selects = false;  // a location path that selects events; else a boolean expression
};

RandomFilter random_filter(Random& random, const Vocabulary& vocabulary);

}  // namespace sluice
