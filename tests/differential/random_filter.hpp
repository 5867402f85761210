// Random XPath 1.0 filters, in both forms, over a vocabulary: simple leaves that the engine has an index for, any other
// expression, and all combinations of them.
#pragma once

#include <string>

#include "tests/differential/libxml2_oracle.hpp"
#include "tests/differential/random.hpp"
#include "tests/differential/vocabulary.hpp"

namespace sluice {

struct RandomFilter {
    std::string text;
    bool selects = false;  // a location path that selects events; else a boolean expression
};

RandomFilter random_filter(Random& random, const Vocabulary& vocabulary);

// An expression of that type, for any context node.
std::string random_expression(Random& random, const Vocabulary& vocabulary, OracleValue::Type type);

}  // namespace sluice
