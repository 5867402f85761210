// A family that is evaluated batch by batch on the CPU or on a device, whichever costs less, and on the CPU whenever a
// device fails. The family is copied to a device in the background when that first pays off; until then the CPU
// continues, unless it would take long. Threads that share a device have a copy each, up to copies_max. Any thread.
#pragma once

#include <chrono>

#include "gpu/operators/device_family.hpp"

namespace sluice::operators {

class ChoosingFamily final : public OperatorFamily {
public:
    static constexpr std::size_t copies_max = 4;   // per device
    static constexpr double patience_us = 50'000;  // work that takes the CPU longer than this waits for a device's copy
    static constexpr std::size_t trial_share = 8;  // a CPU trial, which may be slow, takes an eighth of a batch

    // The longest wait for a copy, made or in use; the CPU continues then. Longer than a device's work may take.
    static constexpr std::chrono::seconds wait_limit{60};

    ChoosingFamily(OperatorFamilyKind kind, std::unique_ptr<const OperatorFamily> family,
                   std::shared_ptr<OperatorDevices> devices, std::chrono::milliseconds waits_max = wait_limit);
    ~ChoosingFamily() override;

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override;

private:
    class Copies;

    void evaluate_on_cpu(double cells, std::span<const std::string_view> texts, std::span<const Pair> pairs,
                         std::span<std::uint8_t> holds, OperatorWork& work) const;
    bool evaluate_on_device(double cells, std::span<const std::string_view> texts, std::span<const Pair> pairs,
                            std::span<std::uint8_t> holds, OperatorWork& work) const;
    bool try_device(double cells, std::span<const std::string_view> texts, std::span<const Pair> pairs,
                    std::span<std::uint8_t> holds, OperatorWork& work) const;

    const OperatorFamilyKind kind_;
    const std::shared_ptr<OperatorDevices> devices_;
    const std::shared_ptr<Copies> copies_;
};

}  // namespace sluice::operators
