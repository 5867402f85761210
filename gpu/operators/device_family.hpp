// The interface between a family of predicates and the devices that can evaluate it: a DeviceFamily is a family's copy
// on one device, OperatorDevices are the available devices. No CUDA here: gpu/cuda/operator_devices.hpp implements it,
// and so do fake devices in tests.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "gpu/operators/family.hpp"
#include "gpu/operators/processor_choice.hpp"

namespace sluice::operators {

// One thread at a time, any thread. Errors are exceptions; after one the object is discarded.
class DeviceFamily {
public:
    virtual ~DeviceFamily() = default;

    // The same contract and the same answers as OperatorFamily::evaluate.
    virtual void evaluate(std::span<const std::string_view> texts, std::span<const OperatorFamily::Pair> pairs,
                          std::span<std::uint8_t> holds, OperatorWork& work) = 0;
};

// Any thread. Outlives the families that use it, but not its own tasks.
class OperatorDevices {
public:
    virtual ~OperatorDevices() = default;

    virtual std::size_t size() const = 0;
    // The number of batches of any kind under way on the device.
    virtual std::size_t under_way(std::size_t device) const = 0;
    // Whether the device may be used now. After a failure, returns true only to one caller from time to time.
    virtual bool can_attempt(std::size_t device) = 0;
    // Copies the family to the device. The family must outlive the result. Throws.
    virtual std::unique_ptr<DeviceFamily> make(std::size_t device, OperatorFamilyKind kind,
                                               const OperatorFamily& family) = 0;
    // The outcome of an attempt. A failure is counted and reported.
    virtual void succeeded(std::size_t device) = 0;
    virtual void failed(std::size_t device, const std::exception& error) = 0;
    // Runs the task soon, on another thread. It must not throw.
    virtual void post(std::function<void()> task) = 0;
    // The clock that batches are measured by, in microseconds; tests move theirs by hand.
    virtual double now_us() const;

    // The record of all families of one kind, of all segments.
    struct Record {
        ProcessorChoice choice;
        std::atomic<std::uint64_t> device_batches = 0, cpu_batches = 0;
        std::atomic<std::uint64_t> repeated = 0;  // of cpu_batches, those repeated after a device failed
    };
    Record& record(OperatorFamilyKind kind) { return records_[static_cast<std::size_t>(kind)]; }

protected:
    // As in ProcessorChoice::Settings.
    OperatorDevices(double cells_min, bool measured);

private:
    std::array<Record, operator_families> records_;
};

}  // namespace sluice::operators
