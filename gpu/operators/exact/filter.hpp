// The searcher of the CPU for production: a filter lets a few places of a text through, at which patterns are then
// compared (after Karp and Rabin 1987; asking only every second or fourth place after Wu and Manber 1994; byte tables
// after Hyperscan's Teddy). Patterns of different length go into groups with filters of their own where that pays.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "gpu/operators/exact/exact.hpp"
#include "gpu/operators/exact/filter_kernel.hpp"

namespace sluice::exact {

// `sample`: texts like those that will be searched, by which the filters are chosen; the more the better up to about
// 64 KiB. The patterns themselves always count as texts. Takes about a microsecond a pattern, and some milliseconds.
std::unique_ptr<Searcher> make_filter_searcher(std::span<const Pattern> patterns,
                                               std::span<const std::string_view> sample = {},
                                               const FilterKernels& kernels = filter_kernels().back());

}  // namespace sluice::exact
