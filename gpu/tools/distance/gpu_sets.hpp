// GpuPatternSet for tools. Belongs to one thread. Compiled only with CUDA (cuda::is_built), but usable without CUDA
// headers. Throws std::runtime_error if the GPU fails.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "gpu/tools/distance/all_pairs_options.hpp"

namespace sluice::edits {

using cuda::why_no_gpu;

// Makes the GPU ready for its first work, which takes some tenths of a second.
void start_gpu();

class GpuSets {
public:
    GpuSets(std::span<const std::string_view> patterns, const AllPairsOptions& options);
    // Like AllPairs::match, for unit costs.
    bool match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch);

private:
    struct Content;
    std::shared_ptr<Content> content_;  // shared, since builds without CUDA lack its destructor
};

}  // namespace sluice::edits
