// Phase 2 on the device: decides rows from the masks of their literals, and appends the rows that hold to a list.
#pragma once

#include <cstdint>

#include "gpu/cuda/clusters/cluster_rows.hpp"
#include "gpu/cuda/clusters/hits.hpp"
#include "gpu/cuda/clusters/mask_view.hpp"

namespace sluice::cuda {

struct MatchTuning {
    bool overlap_masks = true;  // start while the previous kernel in the stream still runs (Hopper and later):
                                // it must be the masks' kernel, or one that began after all writes to `rows`
    int blocks = 0;             // 0: one per multiprocessor
};

// Enqueues the match of `words` words of events (1 … 32): a hit for each row and word in which all literals of the row
// hold for some event, in no particular order. The rows' literals are those of the masks. Throws CudaError.
void match_clusters(const ClusterView& rows, MaskView masks, std::uint32_t words, HitList hits, cudaStream_t stream,
                    const MatchTuning& tuning = {});

}  // namespace sluice::cuda
