// Vectorscan as a Searcher: the library that Sluice's searchers are measured against and checked by.
#pragma once

#include <memory>
#include <span>

#include "tests/support/searchers.hpp"

namespace sluice::substrings {

// Null for patterns that it can't compile: more than 16,000 bytes, or beginning with byte 0.
std::unique_ptr<Searcher> make_vectorscan_searcher(std::span<const Pattern> patterns);

}  // namespace sluice::substrings
