// Replaces asm_device.cpp and gpu_sets.cpp in builds without CUDA.
#include <stdexcept>

#include "gpu/tools/distance/asm.hpp"
#include "gpu/tools/distance/gpu_sets.hpp"

namespace sluice::edits {

namespace {

constexpr const char* built_without_cuda = "this build has no CUDA";

}  // namespace

AsmResult asm_distance_on_gpu(std::span<const std::string_view>, std::span<const std::string_view>, const Costs&,
                              const AsmOptions&, std::span<std::uint32_t>) {
    AsmResult result;
    result.error = built_without_cuda;
    return result;
}

std::string why_no_gpu() { return built_without_cuda; }

void start_gpu() { throw std::runtime_error(built_without_cuda); }

struct GpuSets::Content {};
GpuSets::GpuSets(std::span<const std::string_view>, const AllPairsOptions&) {
    throw std::runtime_error(built_without_cuda);
}
GpuSets::~GpuSets() = default;
bool GpuSets::match(std::span<const std::string_view>, std::span<std::uint32_t>, const Watch&) { return false; }

}  // namespace sluice::edits
