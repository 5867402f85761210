// Replaces device_solver.cpp in builds without CUDA.
#include "gpu/tools/recurrence/analyse.hpp"

namespace sluice::recurrence {

std::unique_ptr<Solver> start_device_solver(const LineQuestion&, bool, std::string& error) {
    error = "this build has no CUDA";
    return nullptr;
}

}  // namespace sluice::recurrence
