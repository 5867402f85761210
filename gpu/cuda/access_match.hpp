// Phases 1 and 2 for access rows on the device: finds, for each event of a packed batch, the rows of a segment that
// hold. Enqueues one kernel; any thread, each with its own memory for the results.
#pragma once

#include <cstdint>

#include "gpu/cuda/access_tables.hpp"
#include "gpu/cuda/clusters/cluster_tables.hpp"
#include "gpu/cuda/records_view.hpp"

namespace sluice::cuda {

// Also sets the events' true literals in the masks of the cluster rows, if there are any.
void match_access_rows(const AccessView& tables, const RecordsView& batch, const FoundRows& found,
                       const ClusterMasksView& clusters, const ClusterMemory& cluster_memory, cudaStream_t stream);

}  // namespace sluice::cuda
