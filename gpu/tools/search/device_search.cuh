// Shared by the kernels of exact search: texts and patterns on the device, comparison, and two ways to report.
// Occurrences lists every (pattern, position), or only counts them. Places holds a bit for each position of the batch
// at which some pattern begins, and counts occurrences, as Nunes' programs do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/substrings/window.hpp"
#include "gpu/tools/search/pattern_pool.hpp"

namespace sluice::substrings {

// The texts of a batch, one after the other, followed by at least tile_bytes zeros.
struct BatchView {
    static constexpr std::uint32_t block_bytes = 1024, tile_bytes = 512;

    const std::uint8_t* text = nullptr;  // aligned to 16 bytes
    std::uint32_t bytes = 0;
    std::uint32_t texts = 0;
    const std::uint32_t* offsets = nullptr;        // text t is text[offsets[t]] … text[offsets[t + 1] - 1]
    const std::uint32_t* text_of_block = nullptr;  // [b]: the last text that begins at or before byte block_bytes * b
};

class DeviceBatch {
public:
    // Allocates what upload() needs for this many texts and bytes.
    void reserve(std::size_t texts, std::size_t bytes);
    // `texts` are fewer than 2^32, with at most 2^30 bytes in all.
    void upload(std::span<const std::string_view> texts, cudaStream_t stream);
    BatchView view() const { return view_; }

private:
    cuda::PinnedBuffer<char> staged_text_;
    cuda::PinnedBuffer<std::uint32_t> staged_offsets_;
    cuda::DeviceBuffer<std::uint8_t> text_;
    cuda::DeviceBuffer<std::uint32_t> offsets_, text_of_block_;
    BatchView view_;
};

// Where a pattern's bytes begin, in units of 16 bytes, and how many they are.
struct PatternShape {
    std::uint32_t begin = 0, length = 0;
};

struct PatternsView {
    const uint4* bytes = nullptr;          // each padded with zeros to a multiple of 16 bytes
    const PatternShape* shapes = nullptr;  // [pattern]
};

class DevicePatterns {
public:
    explicit DevicePatterns(const PatternPool& pool);
    PatternsView view() const { return {reinterpret_cast<const uint4*>(bytes_.data()), shapes_.data()}; }
    static PatternShape shape_of(const PatternPool& pool, std::uint32_t p);

private:
    cuda::DeviceBuffer<char> bytes_;
    cuda::DeviceBuffer<PatternShape> shapes_;
};

// The counts of a search on the device.
struct Tally {
    unsigned long long filter_hits, verified, occurrences;
    unsigned listed;  // of the occurrences, including those for which there was no room in the list
};

struct Occurrences {
    unsigned long long* list = nullptr;  // position << 32 | pattern, in no particular order; null: no list
    std::uint32_t list_size = 0;         // if the tally's `occurrences` are more, the list lacks some
    std::uint32_t begins = 0;            // only those that begin before this byte of the batch count
    Tally* tally = nullptr;
};

struct Places {
    std::uint32_t* bitmap = nullptr;
    Tally* tally = nullptr;
};

#ifdef __CUDACC__

// The 16 bytes of the batch at `at`, which may be past its end within the padding.
__device__ inline uint4 bytes_at(const BatchView& batch, std::uint32_t at) {
    // Two 16-byte loads, from which words are selected, take less cache bandwidth than five of 4 bytes.
    const uint4* text = reinterpret_cast<const uint4*>(batch.text) + at / 16;
    const uint4 low = text[0], high = text[1];
    const std::uint32_t w[] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    std::uint32_t x[6], y[5];
#pragma unroll
    for (int i = 0; i < 6; ++i) x[i] = (at & 8) != 0 ? w[i + 2] : w[i];
#pragma unroll
    for (int i = 0; i < 5; ++i) y[i] = (at & 4) != 0 ? x[i + 1] : x[i];
    const std::uint32_t shift = 8 * (at % 4);
    return {__funnelshift_r(y[0], y[1], shift), __funnelshift_r(y[1], y[2], shift), __funnelshift_r(y[2], y[3], shift),
            __funnelshift_r(y[3], y[4], shift)};
}

// Whether the first `left` of 16 bytes are equal (all of them if left > 16).
__device__ inline bool same(const uint4& a, const uint4& b, std::uint32_t left) {
    const auto mask = [&](std::uint32_t word) {
        return left >= 4 * word + 4 ? 0xffffffffu : left <= 4 * word ? 0u : (1u << (8 * (left - 4 * word))) - 1;
    };
    return (((a.x ^ b.x) & mask(0)) | ((a.y ^ b.y) & mask(1)) | ((a.z ^ b.z) & mask(2)) | ((a.w ^ b.w) & mask(3))) == 0;
}

// Whether a pattern is at byte `begin` of the batch, ignoring text borders. `first`: the 16 bytes there.
__device__ inline bool matches(const BatchView& batch, const uint4* pattern_bytes, const PatternShape& shape,
                               std::uint32_t begin, const uint4& first) {
    const std::uint32_t length = shape.length;
    if (begin >= batch.bytes || batch.bytes - begin < length) return false;
    if (!same(first, pattern_bytes[shape.begin], length)) return false;
    for (std::uint32_t at = 16; at < length; at += 16) {
        if (!same(bytes_at(batch, begin + at), pattern_bytes[shape.begin + at / 16], length - at)) return false;
    }
    return true;
}

// The text that contains a pattern at byte `begin` of the batch; batch.texts if none.
__device__ inline std::uint32_t text_at(const BatchView& batch, const PatternShape& shape, std::uint32_t begin) {
    std::uint32_t low = 0, text_end = batch.bytes;
    if (batch.texts > 1) {
        low = batch.text_of_block[begin / BatchView::block_bytes];
        std::uint32_t high = batch.text_of_block[begin / BatchView::block_bytes + 1];
        while (low < high) {
            const std::uint32_t middle = low + (high - low + 1) / 2;
            if (batch.offsets[middle] <= begin)
                low = middle;
            else
                high = middle - 1;
        }
        text_end = batch.offsets[low + 1];
    }
    return text_end - begin < shape.length ? batch.texts : low;
}

// A warp's candidates wait here until there are 32, so that every lane has one to compare.
struct Queue {
    static constexpr std::uint32_t size = 64;  // fewer than 32 wait when up to 32 arrive

    std::uint32_t first[size], second[size];
};

// Called by the whole warp. Puts the candidate of each lane that has one into the queue, and calls process(first,
// second) in every lane once 32 wait.
template <class Process>
__device__ void enqueue(bool has, std::uint32_t first, std::uint32_t second, Queue& queue, std::uint32_t& waiting,
                        Process process) {
    const std::uint32_t lane = threadIdx.x % 32, lanes = __ballot_sync(0xffffffffu, has);
    if (lanes == 0) return;
    if (has) {
        const std::uint32_t at = waiting + __popc(lanes & ((1u << lane) - 1));
        queue.first[at] = first;
        queue.second[at] = second;
    }
    waiting += __popc(lanes);
    __syncwarp();
    if (waiting < 32) return;
    waiting -= 32;
    process(queue.first[waiting + lane], queue.second[waiting + lane]);
    __syncwarp();
}

// report() adds an occurrence of a pattern to an output. Returns whether it counts.

// The lanes of a warp that report at the same time share one addition to the counter.
__device__ inline bool report(const Occurrences& occurrences, std::uint32_t, std::uint32_t pattern,
                              std::uint32_t begin) {
    if (begin >= occurrences.begins) return false;
    if (occurrences.list == nullptr) return true;
    const std::uint32_t lane = threadIdx.x % 32, lanes = __activemask();
    const int leader = __ffs(lanes) - 1;
    unsigned first = 0;
    if (static_cast<int>(lane) == leader) first = atomicAdd(&occurrences.tally->listed, __popc(lanes));
    const unsigned number = __shfl_sync(lanes, first, leader) + __popc(lanes & ((1u << lane) - 1));
    if (number < occurrences.list_size)
        occurrences.list[number] = static_cast<unsigned long long>(begin) << 32 | pattern;
    return true;
}

__device__ inline bool report(const Places& places, std::uint32_t, std::uint32_t, std::uint32_t begin) {
    atomicOr(&places.bitmap[begin / 32], 1u << (begin % 32));
    return true;
}

// Adds the counts of all lanes of a warp.
__device__ inline void count(Tally* tally, std::uint32_t filter_hits, std::uint32_t verified,
                             std::uint32_t occurrences) {
    filter_hits = __reduce_add_sync(0xffffffffu, filter_hits);
    verified = __reduce_add_sync(0xffffffffu, verified);
    occurrences = __reduce_add_sync(0xffffffffu, occurrences);
    if (threadIdx.x % 32 != 0) return;
    if (filter_hits != 0) atomicAdd(&tally->filter_hits, static_cast<unsigned long long>(filter_hits));
    if (verified != 0) atomicAdd(&tally->verified, static_cast<unsigned long long>(verified));
    if (occurrences != 0) atomicAdd(&tally->occurrences, static_cast<unsigned long long>(occurrences));
}

#endif

}  // namespace sluice::substrings
