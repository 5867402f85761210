// The devices as the families of operators use them: those that match, within the same limit of memory, and with the
// same handling of faults. Shared by the accelerator and the families, whichever lives longer. Any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/cpu/worker.hpp"
#include "gpu/cuda/matching_device.hpp"
#include "gpu/matcher.hpp"
#include "gpu/operators/device_family.hpp"

namespace sluice::cuda {

class CudaOperatorDevices final : public OperatorDevices {
public:
    // Handles a failure of something that was begun in that generation of the device: counts it, and lets the device's
    // `operating` know.
    using OnFault = std::function<void(MatchingDevice& device, std::uint32_t generation, const CudaError& error)>;

    CudaOperatorDevices(std::vector<std::shared_ptr<MatchingDevice>> devices, const EngineOptions& options,
                        OnFault on_fault);
    ~CudaOperatorDevices() override;
    // Failures are nobody's any more: on_fault is not called after this, nor still under way.
    void close();

    std::size_t size() const override { return devices_.size(); }
    std::size_t under_way(std::size_t device) const override;
    bool may_try(std::size_t device) override;
    std::unique_ptr<DeviceFamily> make(std::size_t device, OperatorFamilyKind kind,
                                       const OperatorFamily& family) override;
    void succeeded(std::size_t device) override;
    void failed(std::size_t device, const std::exception& error) override;
    void post(std::function<void()> task) override { worker_.post(std::move(task)); }

    // Lets go of what is on the device, for it to be revived. It is made anew when it is needed.
    void let_go(const MatchingDevice& device);

    std::uint64_t batches(std::size_t device) const;  // that the device has done
    std::vector<OperatorStatus> status();

private:
    class OnDevice;
    class Telling;
    struct Device;

    std::vector<std::shared_ptr<Device>> devices_;  // as many for good
    const OnFault on_fault_;
    std::mutex mutex_;  // of what follows
    std::condition_variable told_;
    std::size_t telling_ = 0;  // threads that may be in on_fault_
    bool closed_ = false;
    Worker worker_;  // the last member: its tasks use the others
};

}  // namespace sluice::cuda
