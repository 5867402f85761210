#include <algorithm>

#include "gpu/cuda/event_block.cuh"
#include "tests/cuda/event_set.hpp"

namespace sluice::testing {

namespace {

constexpr unsigned threads = 512;

struct Views {
    cuda::AccessView tables;
    cuda::RecordsView batch;
    cuda::FoundRows found;
    cuda::ClusterMasksView clusters;
    cuda::ClusterMemory memory;
};

class Setter : private cuda::EventBlock<threads> {
public:
    __device__ Setter(const Views& v, cuda::EventShared& shared)
        : EventBlock(v.tables, v.batch, v.found, v.clusters, v.memory, shared) {}

    // Writes whether the event is left, the number of its literals, and the literals.
    __device__ void run(std::uint32_t count, bool is_full, std::uint32_t* result) {
        clear();
        if (is_full) {
            for (std::uint32_t i = threadIdx.x; i < cuda::set_slots; i += threads)
                s.set[i] = engine::LiteralCode(engine::Family::equal, i).bits();
            if (threadIdx.x == 0) {
                s.true_count = cuda::true_max + 1;
                s.left = 1;
            }
            __syncthreads();
        }
        for (std::uint32_t i = threadIdx.x; i < 2 * count; i += threads) set(engine::Family::exists, i / 2);
        __syncthreads();
        const std::uint32_t trues = min(s.true_count, cuda::true_max);
        for (std::uint32_t i = threadIdx.x; i < trues; i += threads) result[2 + i] = s.list[i];
        if (threadIdx.x != 0) return;
        result[0] = s.left;
        result[1] = trues;
    }
};

__global__ void set_literals(std::uint32_t count, bool is_full, std::uint32_t* result) {
    __shared__ cuda::EventShared shared;
    const Views views{};
    Setter(views, shared).run(count, is_full, result);
}

EventSet run(std::uint32_t count, bool is_full) {
    const cuda::DeviceBuffer<std::uint32_t> result(2 + cuda::true_max);
    const cuda::Stream stream;
    set_literals<<<1, threads, 0, stream>>>(count, is_full, result.data());
    cuda::check_launch("set_literals");
    std::vector<std::uint32_t> words(result.size());
    cuda::copy_to_host(std::span(words), result.data(), stream);
    stream.wait();
    EventSet set;
    set.left = words[0] != 0;
    if (set.left) return set;
    set.codes.assign(words.begin() + 2, words.begin() + 2 + words[1]);
    std::sort(set.codes.begin(), set.codes.end());
    return set;
}

}  // namespace

EventSet set_in_block(std::uint32_t count) { return run(count, false); }
EventSet set_in_full_block(std::uint32_t count) { return run(count, true); }

}  // namespace sluice::testing
