// This file exceeds 300 lines: it has the steps of one algorithm, each a kernel and its launch.
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <numeric>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "gpu/tools/search/rabin_karp_cuda.cuh"

namespace sluice::substrings {

namespace {

constexpr std::uint32_t base = 2, modulus = rabin_karp_modulus;  // d and q
constexpr int block_threads = 256;
constexpr std::uint32_t used_words = (modulus + 31) / 32;
constexpr std::uint32_t plain_part_bytes = 256;       // per thread of the plain kernel
constexpr std::uint32_t plain_chunk_patterns = 4096;  // patterns whose hashes are in shared memory at a time

// Step 2. One thread per pattern computes its hash and takes the next slot that no other thread has taken.
__global__ void fill_table(PatternsView patterns, const std::uint32_t* by_length, std::uint32_t count,
                           std::uint16_t* hashes, std::uint32_t* control, std::uint32_t* table, std::uint32_t* used) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const std::uint32_t pattern = by_length[i];
    const PatternShape shape = patterns.shapes[pattern];
    const auto* text = reinterpret_cast<const std::uint8_t*>(patterns.bytes + shape.begin);
    std::uint32_t slot = 0;
    for (std::uint32_t c = 0; c < shape.length; ++c) slot = (slot * base + text[c]) % modulus;
    hashes[i] = static_cast<std::uint16_t>(slot);
    while (atomicAdd(&control[slot], 1u) != 0) slot = slot + 1 == modulus ? 0 : slot + 1;
    table[slot] = pattern;
    atomicOr(&used[slot / 32], 1u << (slot % 32));
}

// Step 3, computed as the scan of step 4 reads it: a[i] = d^(n-i-1) t[i] mod q.
struct Term {
    const std::uint8_t* text;
    const std::uint16_t* powers;
    std::uint32_t last;  // n - 1

    __device__ std::uint32_t operator()(std::uint32_t i) const {
        return powers[(last - i) % (modulus - 1)] * std::uint32_t{text[i]} % modulus;
    }
};

struct ModularAdd {
    __host__ __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        const std::uint32_t sum = a + b;
        return min(sum, sum - modulus);  // sum - modulus wraps around if it is negative
    }
};

cudaError_t scan(void* memory, std::size_t& memory_bytes, const BatchView& batch, const std::uint16_t* powers,
                 std::uint16_t* sums, cudaStream_t stream) {
    const auto terms = thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0),
                                                       Term{batch.text, powers, batch.bytes - 1});
    return cub::DeviceScan::InclusiveScan(memory, memory_bytes, terms, sums, ModularAdd{}, batch.bytes, stream);
}

// Compares the patterns of the window's length in the slots from its hash to the next free one: one lane, one window.
template <class Output>
__device__ void verify(std::uint32_t slot, std::uint32_t begin, std::uint32_t length, const BatchView& batch,
                       const PatternsView& patterns, const std::uint32_t* table, const std::uint32_t* used,
                       const Output& output, std::uint32_t& verified, std::uint32_t& occurrences) {
    const uint4 window = bytes_at(batch, begin);
    for (; (used[slot / 32] >> (slot % 32)) & 1; slot = slot + 1 == modulus ? 0 : slot + 1) {
        const std::uint32_t pattern = table[slot];
        const PatternShape shape = patterns.shapes[pattern];
        if (shape.length != length) continue;
        ++verified;
        if (!matches(batch, patterns.bytes, shape, begin, window)) continue;
        const std::uint32_t text = text_at(batch, shape, begin);
        if (text != batch.texts && report(output, text, pattern, begin)) ++occurrences;
    }
}

// Step 5. A lane takes four positions at a time, a warp 128 adjacent ones. For each pattern length, it computes the
// hash of the window from two sums and a power. If the hash's slot is used (a bit in shared memory), the window goes
// into the warp's queue, from which 32 at a time are compared with the patterns in the slots from there on. Memory
// traffic for one length: the sums once (2 n; the second read of a sum, for the window that ends with it, hits the
// cache), the text where patterns are compared, and the powers from the L2 cache. Floor on an H100 for n = 2^27,
// including what the scan reads and writes (3 n): 0.24 ms at 2.83 TB/s. Measured: the scan 0.35 ms, this kernel 0.34 to
// 0.37, and 0.94 if every fourth window is a pattern. Without the bound of six blocks per multiprocessor it takes 1.1
// times as long (H200).
template <class Output>
__global__ void __launch_bounds__(block_threads, 6)
    match_windows(BatchView batch, PatternsView patterns, const std::uint32_t* lengths, std::uint32_t length_count,
                  const std::uint16_t* sums, const std::uint16_t* powers, const std::uint32_t* table,
                  const std::uint32_t* used_slots, Output output) {
    constexpr std::uint32_t order = modulus - 1, warps = block_threads / 32;
    constexpr int positions = 4;
    __shared__ std::uint32_t used[used_words];
    __shared__ Queue queues[warps];
    for (std::uint32_t i = threadIdx.x; i < used_words; i += block_threads) used[i] = used_slots[i];
    __syncthreads();
    Queue& queue = queues[threadIdx.x / 32];
    std::uint32_t waiting = 0, filter_hits = 0, verified = 0, occurrences = 0;
    const auto verify_window = [&](std::uint32_t begin, std::uint32_t slot_and_length) {
        verify(slot_and_length & 0xffff, begin, lengths[slot_and_length >> 16], batch, patterns, table, used, output,
               verified, occurrences);
    };
    const std::uint32_t n = batch.bytes, lane = threadIdx.x % 32;
    const std::uint64_t stride = std::uint64_t{gridDim.x} * warps * 32 * positions;
    for (std::uint64_t tile = (std::uint64_t{blockIdx.x} * warps + threadIdx.x / 32) * 32 * positions; tile < n;
         tile += stride) {
        const std::uint32_t first = static_cast<std::uint32_t>(tile) + lane;
        std::uint32_t before[positions];
#pragma unroll
        for (int i = 0; i < positions; ++i) {
            const std::uint32_t begin = first + 32 * i;
            before[i] = begin == 0 || begin >= n ? 0 : sums[begin - 1];
        }
        for (std::uint32_t l = 0; l < length_count; ++l) {
            const std::uint32_t length = lengths[l];
            if (n - tile < length) break;
            const std::uint32_t begins = n - length;  // the last place where a window can begin
            std::uint32_t hash[positions];
#pragma unroll
            for (int i = 0; i < positions; ++i) {
                const std::uint32_t begin = min(first + 32 * i, begins);
                const std::uint32_t difference = sums[begin + length - 1] + modulus - before[i];
                // d^(m-n+j): the exponent is at most 0, so the power's index counts down from the order of d.
                const std::uint32_t exponent = (begins - begin) % order;
                const std::uint32_t power = powers[exponent == 0 ? 0 : order - exponent];
                hash[i] = min(difference, difference - modulus) * power % modulus;
            }
#pragma unroll
            for (int i = 0; i < positions; ++i) {
                const std::uint32_t begin = first + 32 * i;
                const bool hit = begin <= begins && ((used[hash[i] / 32] >> (hash[i] % 32)) & 1) != 0;
                filter_hits += hit;
                enqueue(hit, begin, l << 16 | hash[i], queue, waiting, verify_window);
            }
        }
    }
    if (lane < waiting) verify_window(queue.first[lane], queue.second[lane]);
    __syncwarp();
    count(output.tally, filter_hits, verified, occurrences);
}

// Section 5.1, for patterns of one length. A thread rolls the hash over its part of the batch and compares it with the
// hash of every pattern: n K comparisons.
template <class Output>
__global__ void __launch_bounds__(block_threads)
    plain_kernel(BatchView batch, PatternsView patterns, const std::uint32_t* by_length, const std::uint16_t* hashes,
                 std::uint32_t pattern_count, std::uint32_t length, std::uint32_t leading_power, Output output) {
    __shared__ std::uint32_t hash_of[plain_chunk_patterns];
    for (std::uint32_t i = threadIdx.x; i < pattern_count; i += block_threads) hash_of[i] = hashes[i];
    __syncthreads();
    std::uint32_t filter_hits = 0, verified = 0, occurrences = 0;
    const std::uint32_t begin = (blockIdx.x * block_threads + threadIdx.x) * plain_part_bytes;
    if (begin < batch.bytes && batch.bytes - begin >= length) {
        const std::uint32_t end = min(begin + plain_part_bytes, batch.bytes - length + 1);
        std::uint32_t hash = 0;
        for (std::uint32_t i = 0; i < length; ++i) hash = (hash * base + batch.text[begin + i]) % modulus;
        for (std::uint32_t at = begin; at < end; ++at) {
            for (std::uint32_t k = 0; k < pattern_count; ++k) {
                if (hash_of[k] != hash) continue;
                ++filter_hits;
                ++verified;
                const PatternShape shape = patterns.shapes[by_length[k]];
                if (!matches(batch, patterns.bytes, shape, at, bytes_at(batch, at))) continue;
                const std::uint32_t text = text_at(batch, shape, at);
                if (text != batch.texts && report(output, text, by_length[k], at)) ++occurrences;
            }
            const std::uint32_t leaving = batch.text[at] * leading_power % modulus;
            hash = ((hash + modulus - leaving) * base + batch.text[at + length]) % modulus;
        }
    }
    __syncwarp();
    count(output.tally, filter_hits, verified, occurrences);
}

unsigned blocks_for(std::uint64_t threads) {
    return static_cast<unsigned>((threads + block_threads - 1) / block_threads);
}

}  // namespace

CudaRabinKarp::CudaRabinKarp(const PatternPool& pool)
    : patterns_(pool), control_(modulus), table_(modulus), used_(used_words) {
    std::vector<std::uint16_t> powers;
    for (std::uint32_t i = 0, power = 1; i + 1 < modulus; ++i, power = power * base % modulus)
        powers.push_back(static_cast<std::uint16_t>(power));
    powers_ = cuda::to_device(std::span<const std::uint16_t>(powers));

    std::vector<std::uint32_t> by_length;
    for (std::uint32_t p = 0; p < pool.size(); ++p) {
        if (!pool.text(p).empty()) by_length.push_back(p);
    }
    std::sort(by_length.begin(), by_length.end(),
              [&](std::uint32_t a, std::uint32_t b) { return pool.text(a).size() < pool.text(b).size(); });
    for (std::uint32_t i = 0; i < by_length.size(); ++i) {
        const auto length = static_cast<std::uint32_t>(pool.text(by_length[i]).size());
        if (length_.empty() || length != length_.back()) {
            length_.push_back(length);
            length_begin_.push_back(i);
        }
    }
    patterns_not_empty_ = static_cast<std::uint32_t>(by_length.size());
    length_begin_.push_back(patterns_not_empty_);
    lengths_ = cuda::to_device(std::span<const std::uint32_t>(length_));
    by_length_ = cuda::to_device(std::span<const std::uint32_t>(by_length));
    hashes_ = cuda::DeviceBuffer<std::uint16_t>(by_length.size());
    const cuda::Stream stream;
    enqueue_table(stream);
    stream.wait();
}

void CudaRabinKarp::enqueue_table(cudaStream_t stream) const {
    cuda::check(cudaMemsetAsync(control_.data(), 0, control_.bytes(), stream), "clear table");
    cuda::check(cudaMemsetAsync(used_.data(), 0, used_.bytes(), stream), "clear table");
    if (patterns_not_empty_ == 0) return;
    fill_table<<<blocks_for(patterns_not_empty_), block_threads, 0, stream>>>(
        patterns_.view(), by_length_.data(), patterns_not_empty_, hashes_.data(), control_.data(), table_.data(),
        used_.data());
    cuda::check_launch("fill_table");
}

void CudaRabinKarp::reserve(std::uint32_t bytes) {
    sums_.reserve(bytes);
    std::size_t memory_bytes = 0;
    const BatchView batch{nullptr, bytes, 1, nullptr, nullptr};
    cuda::check(scan(nullptr, memory_bytes, batch, nullptr, nullptr, nullptr), "size of the scan's memory");
    scan_memory_.reserve(memory_bytes);
}

void CudaRabinKarp::enqueue_prefix_sums(const BatchView& batch, cudaStream_t stream) const {
    if (batch.bytes == 0) return;
    std::size_t memory_bytes = scan_memory_.bytes();
    cuda::check(scan(scan_memory_.data(), memory_bytes, batch, powers_.data(), sums_.data(), stream), "prefix sums");
}

template <class Output>
void CudaRabinKarp::enqueue_matches(const BatchView& batch, const Output& output, cudaStream_t stream) const {
    if (batch.bytes == 0 || length_.empty()) return;
    constexpr unsigned blocks_max = 132 * 8 * 2;  // enough for any device; each takes several tiles
    const unsigned blocks = std::min(blocks_for(batch.bytes / 4 + 1), blocks_max);
    match_windows<Output><<<blocks, block_threads, 0, stream>>>(
        batch, patterns_.view(), lengths_.data(), static_cast<std::uint32_t>(length_.size()), sums_.data(),
        powers_.data(), table_.data(), used_.data(), output);
    cuda::check_launch("match_windows");
}

template <class Output>
void CudaRabinKarp::enqueue(const BatchView& batch, const Output& output, cudaStream_t stream) const {
    enqueue_prefix_sums(batch, stream);
    enqueue_matches(batch, output, stream);
}

template <class Output>
void CudaRabinKarp::enqueue_plain(const BatchView& batch, const Output& output, cudaStream_t stream) const {
    if (batch.bytes == 0) return;
    const unsigned blocks = blocks_for((batch.bytes + plain_part_bytes - 1) / plain_part_bytes);
    for (std::size_t l = 0; l < length_.size(); ++l) {
        std::uint32_t leading_power = 1;
        for (std::uint32_t i = 1; i < length_[l]; ++i) leading_power = leading_power * base % modulus;
        for (std::uint32_t begin = length_begin_[l]; begin < length_begin_[l + 1]; begin += plain_chunk_patterns) {
            const std::uint32_t size = std::min(plain_chunk_patterns, length_begin_[l + 1] - begin);
            plain_kernel<Output>
                <<<blocks, block_threads, 0, stream>>>(batch, patterns_.view(), by_length_.data() + begin,
                                                       hashes_.data() + begin, size, length_[l], leading_power, output);
            cuda::check_launch("plain_kernel");
        }
    }
}

template void CudaRabinKarp::enqueue_matches(const BatchView&, const Occurrences&, cudaStream_t) const;
template void CudaRabinKarp::enqueue_matches(const BatchView&, const Places&, cudaStream_t) const;
template void CudaRabinKarp::enqueue(const BatchView&, const Occurrences&, cudaStream_t) const;
template void CudaRabinKarp::enqueue(const BatchView&, const Places&, cudaStream_t) const;
template void CudaRabinKarp::enqueue_plain(const BatchView&, const Occurrences&, cudaStream_t) const;
template void CudaRabinKarp::enqueue_plain(const BatchView&, const Places&, cudaStream_t) const;

}  // namespace sluice::substrings
