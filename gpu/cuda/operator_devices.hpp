// The devices as the families of operators use them: those that match, within the same limit of memory, and with the
// same handling of faults. Shared by the accelerator and the families, whichever lives longer. Any thread.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/cpu/worker.hpp"
#include "gpu/cuda/device_health.hpp"
#include "gpu/cuda/matching_device.hpp"
#include "gpu/matcher.hpp"
#include "gpu/operators/device_family.hpp"

namespace sluice::cuda {

class CudaOperatorDevices final : public OperatorDevices {
public:
    // Told of a device's failure, with the generation in which what failed was begun. Handles it: counts it, and calls
    // pause() or lose().
    using OnFault = std::function<void(std::size_t device, std::uint32_t generation, const CudaError& error)>;

    CudaOperatorDevices(std::vector<std::shared_ptr<MatchingDevice>> devices, const EngineOptions& options,
                        OnFault on_fault);
    ~CudaOperatorDevices() override;
    // Nobody is told of failures any more.
    void close();

    std::size_t size() const override { return devices_.size(); }
    std::size_t under_way(std::size_t device) const override;
    bool may_try(std::size_t device) override;
    std::unique_ptr<DeviceFamily> make(std::size_t device, OperatorFamilyKind kind,
                                       const OperatorFamily& family) override;
    void succeeded(std::size_t device) override;
    void failed(std::size_t device, const std::exception& error) override;
    void post(std::function<void()> task) override { worker_.post(std::move(task)); }

    void pause(std::size_t device, const std::string& what);
    // What is on the device is let go, for it to be revived; it is made anew when it is needed.
    void lose(std::size_t device, const std::string& what);
    void let_go(std::size_t device);
    void revived(std::size_t device);

    struct Fares {
        std::uint64_t batches = 0, faults = 0;
        std::string state, last_fault;
    };
    Fares fares(std::size_t device) const;
    std::vector<OperatorStatus> status();

private:
    class OnDevice;
    struct Device;

    const std::vector<std::shared_ptr<Device>> devices_;
    std::mutex mutex_;
    OnFault on_fault_;
    Worker worker_;  // the last member: its tasks use the others
};

}  // namespace sluice::cuda
