#include <stdexcept>
#include <vector>

#include "gpu/device/device.hpp"
#include "gpu/operators/recurrence/cuda_solver.hpp"
#include "gpu/tools/recurrence/analyse.hpp"

namespace sluice::recurrence {

// Asks the question of a short series first, since kernels are loaded when they are first used.
std::unique_ptr<Solver> start_device_solver(const LineQuestion& question, bool exact, std::string& error) {
    if (sluice::cuda::device_count() == 0) {
        error = "there is no GPU that CUDA can use";
        return nullptr;
    }
    try {
        std::unique_ptr<Solver> solver = make_cuda_solver();
        const std::vector<double> few(2 * MicrostateOptions::size_max);
        const std::span<const double> series(few);
        ExactTask task{0, question, {}};
        Options options;
        options.microstates.windows_max = 1;
        if (exact)
            solver->exact(std::span(&series, 1), std::span(&task, 1), options);
        else
            solver->sample(series, question, options);
        return solver;
    } catch (const std::runtime_error& failure) {  // CudaError
        error = failure.what();
        return nullptr;
    }
}

}  // namespace sluice::recurrence
