// The devices as the operator families use them: the same devices, memory limit and fault handling as matching. Shared
// by the accelerator and the families, whichever lives longer. Any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "gpu/cpu/worker.hpp"
#include "gpu/cuda/matching_device.hpp"
#include "gpu/operators/device_family.hpp"

namespace sluice::cuda {

class CudaOperatorDevices final : public operators::OperatorDevices {
public:
    // Handles a failure of work begun in that generation of the device: counts it, and reports it to `operating`.
    using OnFault = std::function<void(MatchingDevice& device, std::uint32_t generation, const CudaError& error)>;

    CudaOperatorDevices(std::vector<std::shared_ptr<MatchingDevice>> devices, const engine::EngineOptions& options,
                        OnFault on_fault);
    ~CudaOperatorDevices() override;
    // After this, on_fault is neither called nor still running.
    void close();

    std::size_t size() const override { return devices_.size(); }
    std::size_t under_way(std::size_t device) const override;
    bool can_attempt(std::size_t device) override;
    std::unique_ptr<operators::DeviceFamily> make(std::size_t device, operators::OperatorFamilyKind kind,
                                                  const operators::OperatorFamily& family) override;
    void succeeded(std::size_t device) override;
    void failed(std::size_t device, const std::exception& error) override;
    void post(std::function<void()> task) override { worker_.post(std::move(task)); }

    // Releases everything that operators have on the device, for its revival. It is made anew on demand.
    void release(const MatchingDevice& device);

    std::uint64_t batches(std::size_t device) const;  // batches that the device has completed
    std::vector<engine::OperatorStatus> status();

private:
    class OnDevice;
    class Notice;
    struct Device;

    std::vector<std::shared_ptr<Device>> devices_;  // its size never changes
    const OnFault on_fault_;
    std::mutex mutex_;  // guards the following members
    std::condition_variable noticed_;
    std::size_t notices_ = 0;  // threads that may be in on_fault_
    bool closed_ = false;
    cpu::Worker worker_;  // last member: its tasks use the others
};

}  // namespace sluice::cuda
