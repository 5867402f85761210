// Replaces device_pair.cpp in builds without CUDA.
#include "gpu/tools/align/pair.hpp"

namespace sluice::alignment {

bool pair_device_available() { return false; }

void score_pair_on_device(const Scheme&, Codes, Codes, const PairOptions&, PairResult& result) {
    result.error = "this build has no CUDA";
}

}  // namespace sluice::alignment
