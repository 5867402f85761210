// approx-distance and edit-distance of many patterns against many texts on a GPU, with costs other than unit costs: the
// same answers as edits.hpp on the CPU. Owned by one thread at a time. Errors are CudaError, and std::invalid_argument
// where PatternSet throws it. What no kernel takes is matched on the CPU: patterns of more than 1024 characters or with
// too many different characters that are not ASCII, and for edit-distance texts of more than 16,384 characters.
#pragma once

#include <memory>
#include <span>

#include "gpu/operators/edits/edits.hpp"

namespace sluice::edits {

class GpuWeightedSet {
public:
    GpuWeightedSet(std::span<const Pattern> patterns, Extent extent, CostTable costs);
    GpuWeightedSet(GpuWeightedSet&&) noexcept;
    GpuWeightedSet& operator=(GpuWeightedSet&&) noexcept;
    ~GpuWeightedSet();

    // Like those of PatternSet.
    void decide(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> within,
                Counters& counters);
    void distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                   std::span<std::uint32_t> distances, Counters& counters);

private:
    struct Content;
    std::unique_ptr<Content> content_;
};

}  // namespace sluice::edits
