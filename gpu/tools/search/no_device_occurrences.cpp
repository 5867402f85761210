// Replaces occurrences_cuda.cu in builds without CUDA.
#include <stdexcept>

#include "gpu/tools/search/occurrences.hpp"

namespace sluice::substrings {

namespace {

constexpr const char* no_cuda = "this build has no CUDA";

}  // namespace

bool occurrence_device_available() { return false; }

std::string occurrence_device_refusal(std::span<const Pattern>, Algorithm) { return no_cuda; }

std::unique_ptr<OccurrenceFinder> make_device_occurrence_finder(std::span<const Pattern>, Algorithm, std::string_view,
                                                                std::size_t) {
    throw std::runtime_error(no_cuda);
}

}  // namespace sluice::substrings
