// Compiled with the instruction set in its name; see lane_kernel.hpp.
#include <algorithm>
#include <bit>
#include <immintrin.h>

#include "gpu/operators/alignment/lanes/lane_kernel.hpp"

namespace sluice::alignment::avx512 {

namespace {

#include "gpu/operators/alignment/lanes/lane_loops.hpp"
#include "gpu/operators/alignment/lanes/striped_loops.hpp"

template <class V>
constexpr LaneWidth lane_width() {
    return {align_lanes<V>, V::count, V::limit, align_striped<V>};
}
#include "gpu/operators/alignment/lanes/lanes_avx512.hpp"

}  // namespace

LaneKernels lane_kernels() { return {lane_width<Lanes8>(), lane_width<Lanes16>(), lane_width<Lanes32>()}; }

}  // namespace sluice::alignment::avx512
