// Manages the devices in use: copies segments to them, records their faults, and revives lost devices. Failed attempts
// are retried on the keeper's thread, which ends before the keeper's other members. As long as that thread can't be
// started, nothing is retried or revived, and the CPU matches instead. Any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "gpu/cpu/program_part.hpp"
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
    void keep(std::span<const cpu::ProgramPart> parts);
    std::vector<std::weak_ptr<const cpu::Segment>> kept() const;

    // Records a fault of work begun in this generation of the device. `health` is one of the device's.
    void note_fault(MatchingDevice& device, DeviceHealth& health, std::uint32_t generation,
                    const CudaError& error) noexcept;
    // Records that the device lacked memory, which says nothing about the next attempt.
    void note_lack_of_memory(const MatchingDevice& device, DeviceHealth& health, const CudaError& error) noexcept;
    // Schedules the background work that could not be scheduled when it was due.
    void catch_up() noexcept;
    std::map<std::string, std::uint64_t> faults() const;

private:
    bool is_worth_copies(const cpu::Segment& segment) const;
    bool lacks_copies(const cpu::Segment& segment) const;
    void copy(const cpu::Segment& segment, std::size_t d) noexcept;
    CopyState try_to_copy(const cpu::Segment& segment, std::size_t d);
    void tell(const MatchingDevice& device, const CudaError& error) noexcept;

    void schedule(bool& due, std::chrono::milliseconds delay) noexcept;
    void look(bool& due) noexcept;
    bool look();
    bool revive_devices();
    void revive(MatchingDevice& device);
    bool copy_all(const std::vector<std::weak_ptr<const cpu::Segment>>& kept);

    const engine::EngineOptions options_;
    std::vector<std::shared_ptr<MatchingDevice>> devices_;  // their number never changes
    std::shared_ptr<CudaOperatorDevices> operators_;
    std::mutex attaching_;
    std::atomic<bool> missed_ = false;  // whether a look could not be scheduled

    mutable std::mutex mutex_;                             // guards the members up to faults_
    bool due_soon_ = false, due_later_ = false;            // whether look() is scheduled, at once or after a pause
    std::vector<std::weak_ptr<const cpu::Segment>> kept_;  // the latest program's segments that should have copies
    std::map<std::string, std::uint64_t> faults_;
    cpu::Worker worker_;  // the last member: its tasks use the others
};

}  // namespace sluice::cuda
