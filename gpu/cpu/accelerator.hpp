// The interface through which another processor helps a CPU program: an accelerator keeps copies of large segments and
// matches them, with exactly the answers that the segments themselves would give. Shared by a set and its programs; any
// thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gpu/cpu/program_part.hpp"
#include "gpu/operators/device_family.hpp"

namespace sluice::cpu {

class Accelerator {
public:
    virtual ~Accelerator() = default;

    // Copies the segment if it is worth it, and returns when the copy is made. If that fails, keep() tries again.
    virtual void mirror(const Segment& segment) noexcept = 0;
    // Sets the current segments; those that should have a copy and have none are copied in the background.
    virtual void keep(std::span<const ProgramPart> parts) = 0;
    // The same contract as CpuProgram::match.
    virtual void match(std::span<const ProgramPart> parts, const engine::EventBatch& batch, ScanCache& scans,
                       Segment::Scratch& scratch, std::vector<engine::Match>& matches) = 0;
    virtual engine::EngineStatus status() const = 0;
    // The devices that the segments' operators may use, or null. Always the same; may outlive the accelerator.
    virtual std::shared_ptr<operators::OperatorDevices> operator_devices() const { return nullptr; }
};

}  // namespace sluice::cpu
