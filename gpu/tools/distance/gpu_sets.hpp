// GpuPatternSet for tools, in builds with and without CUDA. Belongs to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "gpu/tools/distance/all_pairs_options.hpp"

namespace sluice::edits {

// Why there is no GPU to use, or "".
std::string why_no_gpu();
// Makes the GPU ready for its first work, which takes some tenths of a second. Throws std::runtime_error if it fails.
void start_gpu();

// The constructor and match() throw std::runtime_error if the GPU is missing or fails.
class GpuSets {
public:
    GpuSets(std::span<const std::string_view> patterns, const AllPairsOptions& options);
    ~GpuSets();
    // Like AllPairs::match, for unit costs.
    bool match(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, const Watch& watch);

private:
    struct Content;
    std::unique_ptr<Content> content_;
};

}  // namespace sluice::edits
