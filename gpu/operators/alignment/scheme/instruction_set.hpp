// The instruction sets that the kernels of this folder are compiled for, as its functions take them.
#pragma once

#include "gpu/simd/instruction_set.hpp"

namespace sluice::alignment {

using simd::best_instruction_set;
using simd::InstructionSet;

}  // namespace sluice::alignment
