// Makes a failing case small enough to be read.
#pragma once

#include <functional>

#include "tests/differential/random_document.hpp"
#include "tests/differential/random_filter.hpp"

namespace sluice {

struct OracleCase {
    RandomFilter filter;
    RandomDocument document;
};

// Takes away pieces of the filter and of the document for as long as `fails` still holds.
OracleCase shrink(OracleCase failing, const std::function<bool(const OracleCase&)>& fails);

}  // namespace sluice
