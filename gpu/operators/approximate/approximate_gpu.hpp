// approx-contains, approx-distance and edit-distance of many patterns against many texts on a GPU, unit costs: what
// approximate.hpp does on the CPU, with the same answers. Belongs to one thread at a time; errors are CudaError, and
// std::invalid_argument where PatternSet throws it. Patterns that no kernel takes (edit-distance and pairs of more than
// 1024 characters; alphabets of more than 65,535 characters) are matched on the CPU.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/operators/approximate/approximate.hpp"

namespace sluice::approximate {

class GpuPatternSet {
public:
    GpuPatternSet(std::span<const Pattern> patterns, Extent extent);
    GpuPatternSet(GpuPatternSet&&) noexcept;
    GpuPatternSet& operator=(GpuPatternSet&&) noexcept;
    ~GpuPatternSet();

    std::size_t size() const;

    // As PatternSet's.
    void find(std::span<const std::string_view> texts, std::vector<Pair>& found, Counters& counters);
    void decide(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> within,
                Counters& counters);
    void distances(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, Counters& counters);
    void distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                   std::span<std::uint32_t> distances, Counters& counters);

private:
    struct Content;
    std::unique_ptr<Content> content_;
};

}  // namespace sluice::approximate
