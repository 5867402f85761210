// A family that is evaluated on the CPU or on a device, batch by batch, wherever that costs less; on the CPU whenever a
// device fails. What a device needs of the family is copied there in the background, the first time that it would be of
// use; until then the CPU goes on, unless it would take long. Threads that share a device have a copy each, up to a
// few. Any thread.
#pragma once

#include "gpu/operators/device_family.hpp"

namespace sluice {

class ChoosingFamily final : public OperatorFamily {
public:
    static constexpr std::size_t copies_max = 4;   // on one device
    static constexpr double patience_us = 50'000;  // what takes the CPU longer waits for a device's copy
    static constexpr std::size_t trial_share = 8;  // a CPU that may be slow is tried with so small a part of a batch

    ChoosingFamily(OperatorFamilyKind kind, std::unique_ptr<const OperatorFamily> family,
                   std::shared_ptr<OperatorDevices> devices);
    ~ChoosingFamily() override;

    void evaluate(std::span<const std::string_view> texts, std::span<const Pair> pairs, std::span<std::uint8_t> holds,
                  OperatorWork& work) const override;
    std::size_t bytes() const override;

private:
    class Copies;

    void evaluate_on_cpu(double cells, std::span<const std::string_view> texts, std::span<const Pair> pairs,
                         std::span<std::uint8_t> holds, OperatorWork& work) const;
    bool evaluate_on_device(double cells, std::span<const std::string_view> texts, std::span<const Pair> pairs,
                            std::span<std::uint8_t> holds, OperatorWork& work) const;

    const OperatorFamilyKind kind_;
    const std::shared_ptr<OperatorDevices> devices_;
    const std::shared_ptr<Copies> copies_;
};

}  // namespace sluice
