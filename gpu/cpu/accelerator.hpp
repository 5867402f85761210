// What a CPU program lets another processor help with: an accelerator keeps copies of large segments and matches them,
// with exactly the answers that the segments themselves would give. Shared by a set and its programs; any thread.
#pragma once

#include <span>
#include <vector>

#include "gpu/cpu/cpu_program.hpp"

namespace sluice {

class Accelerator {
public:
    virtual ~Accelerator() = default;

    // Copies the segment if it is worth it. Takes as long as the copy takes; without success, keep() tries again.
    virtual void mirror(const Segment& segment) noexcept = 0;
    // Tells which segments there are, for those to be copied in the background that should be copied and are not.
    virtual void keep(std::span<const CpuProgram::Part> parts) = 0;
    // As CpuProgram::match.
    virtual void match(std::span<const CpuProgram::Part> parts, const EventBatch& batch, ScanCache& scans,
                       Segment::Scratch& scratch, std::vector<Match>& matches) = 0;
    virtual EngineStatus status() const = 0;
    // What the segments' operators may use, or null. The same as long as it lives; may outlive it.
    virtual std::shared_ptr<OperatorDevices> operator_devices() const { return nullptr; }
};

}  // namespace sluice
