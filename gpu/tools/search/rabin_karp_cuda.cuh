// Rabin-Karp on the device: plain (Nunes 2018, section 5.1) and with prefix sums (5.2). d = 2, and the modulus is that
// of the thesis.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/tools/search/device_search.cuh"

namespace sluice::substrings {

constexpr std::uint32_t rabin_karp_modulus = 65521;

class CudaRabinKarp {
public:
    // Fills the patterns' hash table on the device. The patterns must be fewer than half of the modulus.
    explicit CudaRabinKarp(const PatternPool& pool);

    // Allocates what a batch of `bytes` needs. Must be called before a larger batch is enqueued.
    void reserve(std::uint32_t bytes);

    // Steps 3 and 4; step 5; both of these; and the plain kernel of 5.1. reserve() must have been called for the batch.
    // Findings are added to the output, whose tally and bitmap or set must have been cleared.
    void enqueue_prefix_sums(const BatchView& batch, cudaStream_t stream) const;
    template <class Output>
    void enqueue_matches(const BatchView& batch, const Output& output, cudaStream_t stream) const;
    template <class Output>
    void enqueue(const BatchView& batch, const Output& output, cudaStream_t stream) const;
    template <class Output>
    void enqueue_plain(const BatchView& batch, const Output& output, cudaStream_t stream) const;

    // Step 2 alone, as in the constructor; for measurements.
    void enqueue_table(cudaStream_t stream) const;

private:
    DevicePatterns patterns_;
    std::uint32_t patterns_not_empty_ = 0;
    cuda::DeviceBuffer<std::uint16_t> powers_;           // step 1: d^i mod q for i below q - 1
    cuda::DeviceBuffer<std::uint32_t> control_, table_;  // step 2: [slot]: how many patterns tried it; its pattern
    cuda::DeviceBuffer<std::uint32_t> used_;             // one bit per slot
    cuda::DeviceBuffer<std::uint16_t> hashes_;           // of the patterns in by_length_
    cuda::DeviceBuffer<std::uint32_t> by_length_;        // patterns, ascending by length
    std::vector<std::uint32_t> length_, length_begin_;   // distinct lengths, and where each begins in by_length_
    cuda::DeviceBuffer<std::uint32_t> lengths_;          // length_
    cuda::DeviceBuffer<std::uint16_t> sums_;
    cuda::DeviceBuffer<std::uint8_t> scan_memory_;
};

}  // namespace sluice::substrings
