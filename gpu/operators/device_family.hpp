// The seam between a family of predicates and the devices that can evaluate it: a DeviceFamily has what a device needs
// of a family, OperatorDevices are those that there are. No CUDA in it; gpu/cuda/operator_devices.hpp implements it,
// and tests do with devices that are none.
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

namespace sluice {

// One thread at a time, whichever. Errors are exceptions; it is thrown away after one.
class DeviceFamily {
public:
    virtual ~DeviceFamily() = default;

    // As OperatorFamily::evaluate, with the same answers.
    virtual void evaluate(std::span<const std::string_view> texts, std::span<const OperatorFamily::Pair> pairs,
                          std::span<std::uint8_t> holds, OperatorWork& work) = 0;
};

// Any thread. Outlives the families that use it, but not its own tasks.
class OperatorDevices {
public:
    virtual ~OperatorDevices() = default;

    virtual std::size_t size() const = 0;
    // How many batches are under way on the device, of whatever kind.
    virtual std::size_t under_way(std::size_t device) const = 0;
    // Whether the device may be used now; after a failure only one caller is told so, now and then.
    virtual bool may_try(std::size_t device) = 0;
    // Copies to the device what it needs of the family, which outlives the result. Throws.
    virtual std::unique_ptr<DeviceFamily> make(std::size_t device, OperatorFamilyKind kind,
                                               const OperatorFamily& family) = 0;
    // What came of an attempt. A failure is counted and told to whoever wants to know.
    virtual void succeeded(std::size_t device) = 0;
    virtual void failed(std::size_t device, const std::exception& error) = 0;
    // Runs the task soon, on another thread. It must not throw.
    virtual void post(std::function<void()> task) = 0;
    // The clock that batches are measured by, in microseconds; tests move theirs by hand.
    virtual double now_us() const;

    // How all families of a kind have fared, whatever segment they are of.
    struct Fate {
        ProcessorChoice choice;
        std::atomic<std::uint64_t> device_batches = 0, cpu_batches = 0;
        std::atomic<std::uint64_t> repeated = 0;  // of those on the CPU: after a device had failed
    };
    Fate& fate(OperatorFamilyKind kind) { return fates_[static_cast<std::size_t>(kind)]; }

protected:
    // As ProcessorChoice::Settings has them.
    OperatorDevices(double cells_min, bool measured);

private:
    std::array<Fate, operator_families> fates_;
};

}  // namespace sluice
