// Recurrence measures on a device, by its Solver.
#include "gpu/operators/cuda_families.hpp"
#include "gpu/operators/recurrence/cuda_solver.hpp"

namespace sluice::operators {

namespace {

class CudaRecurrence final : public DeviceFamily {
public:
    CudaRecurrence(const RecurrenceFamily& family, int device)
        : family_(family), solver_(recurrence::make_cuda_solver(device)) {}

    void evaluate(std::span<const std::string_view> texts, std::span<const OperatorFamily::Pair> pairs,
                  std::span<std::uint8_t> holds, OperatorWork& work) override {
        family_.evaluate(texts, pairs, holds, work, solver_.get());
    }

private:
    const RecurrenceFamily& family_;
    const std::unique_ptr<recurrence::Solver> solver_;
};

}  // namespace

std::unique_ptr<DeviceFamily> make_cuda_family(const RecurrenceFamily& family, int device) {
    return std::make_unique<CudaRecurrence>(family, device);
}

}  // namespace sluice::operators
