#include "gpu/cuda/access_match.hpp"
#include "gpu/cuda/event_look_ups.cuh"
#include "gpu/device/device.hpp"

// One block per event. It does the work of PredicateTables::evaluate and AccessRows::match, with the same arrays:
//
//   1. Predicates: one thread per value looks it up by hash and compares the bytes; one warp per value searches for
//      prefixes, suffixes or substrings; eight lanes per number find its rank among the bounds by a nine-way search.
//      Literals that hold are kept in a hash set in shared memory, and so are the positions of numbers.
//   2. Tokens: the hashes of the event's access tokens, by how many of them together lead to a row.
//   3. Look-ups, in rounds: each thread takes tokens, pairs or triples by number, asks the filter, and queues the
//   bucket
//      found. Then eight lanes together take a bucket, or 64 words of a long one, and read it eight words (32 bytes) at
//      a time, each lane deciding one literal.
//   4. Rows that hold gather in shared memory and are written together.
//
// Events that do not fit into shared memory (hundreds of true literals or tokens) are left to the host: they are
// reported as unmatched. Bytes moved: 24 per value, plus its text; then 32 at a time from random places: about one read
// for each look-up in a table, one for each pair asked of the filter, two or more for each bucket found. So the floor
// is that of random 32-byte reads, some 40 to 100 billion a second from memory and from L2.

namespace sluice::cuda {

namespace {

constexpr std::uint32_t small_batch_max = 264;  // events: two blocks for each of 132 multiprocessors

template <unsigned threads>
class EventMatch : private EventLookUps<threads> {
public:
    using EventLookUps<threads>::EventLookUps;

    __device__ void run() {
        this->clear();
        this->evaluate();
        __syncthreads();
        if (this->clusters.of_bit != nullptr) this->set_masks();
        this->collect_tokens();
        __syncthreads();
        this->look_up_all();
        this->finish();
    }
};

template <unsigned threads, unsigned blocks>
__global__ void __launch_bounds__(threads, blocks)
    access_kernel(const __grid_constant__ AccessView tables, const __grid_constant__ RecordsView batch,
                  const __grid_constant__ FoundRows found, const __grid_constant__ ClusterMasksView clusters,
                  const __grid_constant__ ClusterMemory memory) {
    __shared__ EventShared shared;
    EventMatch<threads>(tables, batch, found, clusters, memory, shared).run();
}

}  // namespace

void match_access_rows(const AccessView& tables, const RecordsView& batch, const FoundRows& found,
                       const ClusterMasksView& clusters, const ClusterMemory& cluster_memory, cudaStream_t stream) {
    // A large batch fills the device with small blocks; in a small batch each event gets as many threads as it can use.
    const std::uint32_t events = batch.part_events;
    if (events > small_batch_max)
        access_kernel<128, 8><<<events, 128, 0, stream>>>(tables, batch, found, clusters, cluster_memory);
    else
        access_kernel<512, 2><<<events, 512, 0, stream>>>(tables, batch, found, clusters, cluster_memory);
    check_launch("access_kernel");
}

}  // namespace sluice::cuda
