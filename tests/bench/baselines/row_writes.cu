#include <cuda_runtime.h>

#include "tests/bench/baselines/live_rows.hpp"

namespace sluice::bench {

namespace {

constexpr unsigned threads = 256;

// A warp writes one row: its literal numbers, which are contiguous, and its target. 1,000 rows into each of 7 size
// classes are 7,000 rows of 36 literals on average: 0.5 MB read and written.
template <class Id>
__global__ void __launch_bounds__(threads)
    write_rows(const RowWrite* writes, std::uint32_t count, const Id* from, Id* ids, std::uint32_t* targets) {
    const std::uint32_t i = (blockIdx.x * threads + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (i >= count) return;
    const RowWrite write = writes[i];
    for (std::uint32_t j = lane; j < write.count; j += 32) ids[write.id + j] = from[write.from + j];
    if (lane == 0) targets[write.row] = write.target;
}

template <class Id>
void launch(const std::byte* staged, std::uint32_t count, std::byte* ids, std::uint32_t* targets, cudaStream_t stream) {
    const auto* writes = reinterpret_cast<const RowWrite*>(staged);
    write_rows<<<(count + threads / 32 - 1) / (threads / 32), threads, 0, stream>>>(
        writes, count, reinterpret_cast<const Id*>(writes + count), reinterpret_cast<Id*>(ids), targets);
    cuda::check_launch("write_rows");
}

}  // namespace

// The view is const for readers; the rows own the memory.
void LiveRows::apply(cudaStream_t stream) {
    if (staged_count_ == 0) return;
    const auto run = view().narrow ? launch<std::uint16_t> : launch<std::uint32_t>;
    run(staged_.data(), staged_count_, static_cast<std::byte*>(const_cast<void*>(view().ids)),
        const_cast<std::uint32_t*>(view().targets), stream);
    staged_count_ = 0;
}

}  // namespace sluice::bench
