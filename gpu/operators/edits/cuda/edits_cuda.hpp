// approx-contains, approx-distance and edit-distance of many patterns against many texts on a GPU, with unit costs: the
// same answers as edits.hpp on the CPU. Owned by one thread at a time. Errors are CudaError, and std::invalid_argument
// where PatternSet throws it. Patterns that no kernel takes are matched on the CPU: those of more than 1024 characters
// for edit-distance and pairs, and those beyond an alphabet of 65,535 characters.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/operators/edits/edits.hpp"

namespace sluice::edits {

struct GpuPatternContent;

class GpuPatternSet {
public:
    GpuPatternSet(std::span<const Pattern> patterns, Extent extent);
    GpuPatternSet(GpuPatternSet&&) noexcept;
    GpuPatternSet& operator=(GpuPatternSet&&) noexcept;
    ~GpuPatternSet();

    std::size_t size() const;

    // Texts have at most text_bytes_max bytes; throws std::invalid_argument otherwise.

    // Appends each (text, pattern) whose distance is at most the pattern's k, in sorted order.
    void find(std::span<const std::string_view> texts, std::vector<Pair>& found, Counters& counters);
    // Like those of PatternSet.
    void decide(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> within,
                Counters& counters);
    void distances(std::span<const std::string_view> texts, std::span<const Pair> pairs,
                   std::span<std::uint32_t> distances, Counters& counters);
    // distances[t * size() + p].
    void distances(std::span<const std::string_view> texts, std::span<std::uint32_t> distances, Counters& counters);

private:
    std::unique_ptr<GpuPatternContent> content_;
};

}  // namespace sluice::edits
