// Phase 2 and 3 on the device: rows are decided from the masks, disjunctions ORed, what holds is appended to a list.
#pragma once

#include <cstdint>

#include "gpu/cuda/cluster_rows.hpp"
#include "gpu/cuda/hits.hpp"
#include "gpu/cuda/mask_tables.hpp"

namespace sluice::cuda {

struct MatchTuning {
    bool overlap_masks = true;  // start while the kernel before it in the stream is still running (Hopper and later):
                                // that must be the masks' kernel, or one that began after all writes to `rows`
    int blocks = 0;             // 0: one for each multiprocessor
};

// Enqueues the match of `words` words of events (1 … 32) with the masks that evaluate_masks wrote: a hit for each row
// whose literals all hold for some event of a word (rows of one disjunction: one hit a word), in no particular order.
// The rows' literals are those of the masks. Throws CudaError.
void match_clusters(const ClusterView& rows, MaskView masks, std::uint32_t words, HitList hits, cudaStream_t stream,
                    const MatchTuning& tuning = {});

}  // namespace sluice::cuda
