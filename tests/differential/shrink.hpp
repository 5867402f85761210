// Reduces a failing case until it is readable.
#pragma once

#include <functional>

#include "tests/differential/random_document.hpp"
#include "tests/differential/random_filter.hpp"

namespace sluice {

struct OracleCase {
    RandomFilter filter;
    RandomDocument document;
};

// Removes pieces of the filter and of the document as long as `fails` still holds.
OracleCase shrink(OracleCase failing, const std::function<bool(const OracleCase&)>& fails);

}  // namespace sluice
