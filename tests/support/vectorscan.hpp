// Vectorscan as a Searcher: the library that ours are measured against and checked by.
#pragma once

#include <memory>
#include <span>

#include "gpu/operators/exact/exact.hpp"

namespace sluice::exact {

// Null for what it can't compile: patterns of more than 16,000 bytes or that begin with byte 0. Where a pattern has to
// stand is looked at afterwards.
std::unique_ptr<Searcher> make_vectorscan_searcher(std::span<const Pattern> patterns);

}  // namespace sluice::exact
