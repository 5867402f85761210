// Vectorscan as a Searcher: the library that Sluice's searchers are measured against and checked by.
#pragma once

#include <memory>
#include <span>

#include "gpu/tools/search/substrings.hpp"

namespace sluice::substrings {

// Null for patterns that it can't compile: more than 16,000 bytes, or beginning with byte 0. A required place (Place)
// is checked after matching.
std::unique_ptr<Searcher> make_vectorscan_searcher(std::span<const Pattern> patterns);

}  // namespace sluice::substrings
