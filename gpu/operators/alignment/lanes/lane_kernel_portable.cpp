// For every processor; see lane_kernel.hpp.
#include <algorithm>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"

namespace sluice::alignment::portable {

namespace {

#include "gpu/operators/alignment/lanes/lane_loops.hpp"

template <class V>
constexpr LaneWidth lane_width() {
    return {align_lanes<V>, V::count, V::limit};
}
#include "gpu/operators/alignment/lanes/lanes_portable.hpp"

}  // namespace

LaneKernels lane_kernels() { return {{}, lane_width<Lanes16>(), lane_width<Lanes32>()}; }

}  // namespace sluice::alignment::portable
