// Manages the devices in use: copies segments to them, records their faults, and revives lost devices. Failed attempts
// are retried on the keeper's thread, which ends before the keeper's other members. Any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "gpu/cpu/cpu_program.hpp"
#include "gpu/cpu/worker.hpp"
#include "gpu/cuda/matching_device.hpp"
#include "gpu/cuda/operator_devices.hpp"
#include "gpu/cuda/segment_copies.hpp"

namespace sluice::cuda {

class DeviceKeeper {
public:
    explicit DeviceKeeper(const engine::EngineOptions& options);
    DeviceKeeper(const DeviceKeeper&) = delete;
    ~DeviceKeeper();

    const std::vector<std::shared_ptr<MatchingDevice>>& devices() const { return devices_; }
    const std::shared_ptr<CudaOperatorDevices>& operators() const { return operators_; }

    // As in cpu::Accelerator.
    void mirror(const cpu::Segment& segment) noexcept;
    void keep(std::span<const cpu::CpuProgram::Part> parts);
    std::vector<std::weak_ptr<const cpu::Segment>> kept() const;

    // Records a fault of work begun in this generation of the device. `health` is one of the device's.
    void note_fault(MatchingDevice& device, DeviceHealth& health, std::uint32_t generation, const CudaError& error);
    std::map<std::string, std::uint64_t> faults() const;

private:
    bool is_worth_copies(const cpu::Segment& segment) const;
    bool lacks_copies(const cpu::Segment& segment) const;
    void copy(const cpu::Segment& segment, std::size_t d) noexcept;
    CopyState try_to_copy(const cpu::Segment& segment, std::size_t d);
    void lose(MatchingDevice& device, std::uint32_t generation, const std::string& what);
    void tell(const MatchingDevice& device, const CudaError& error);

    void schedule(bool& due, std::chrono::milliseconds delay);
    void look(bool& due);
    bool revive_devices();
    void revive(MatchingDevice& device);
    bool copy_all(const std::vector<std::weak_ptr<const cpu::Segment>>& kept);

    const engine::EngineOptions options_;
    std::vector<std::shared_ptr<MatchingDevice>> devices_;  // their number never changes
    std::shared_ptr<CudaOperatorDevices> operators_;
    std::mutex attaching_;
    std::mutex losing_;  // so that a device's three healths are lost and revived together

    mutable std::mutex mutex_;                             // guards the members up to faults_
    bool due_soon_ = false, due_later_ = false;            // whether look() is scheduled, at once or after a pause
    std::vector<std::weak_ptr<const cpu::Segment>> kept_;  // the latest program's segments that should have copies
    std::map<std::string, std::uint64_t> faults_;
    cpu::Worker worker_;  // the last member: its tasks use the others
};

}  // namespace sluice::cuda
