// The engine's filter (PatternFilter) as a Searcher, for tests and benchmarks. It joins short texts, 4 KiB at a time,
// and searches them as one, since starting a text costs each of the filter's groups some 10 ns.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "gpu/operators/substrings/filter.hpp"
#include "gpu/tools/search/substrings.hpp"

namespace sluice::substrings {

// The patterns must be distinct and not refused; they are copied. `sample`: as for PatternFilter.
std::unique_ptr<Searcher> make_filter_searcher(
    std::span<const Pattern> patterns, std::span<const std::string_view> sample = {},
    const FilterKernels& kernels = filter_kernels(simd::best_instruction_set()));

}  // namespace sluice::substrings
