// The CPU backend's program: segments, and for each the entries removed since it was made. Immutable; any number of
// threads may match.
#pragma once

#include <memory>
#include <vector>

#include "gpu/api/matcher.hpp"
#include "gpu/cpu/program_part.hpp"
#include "gpu/cpu/segment/event_sample.hpp"

namespace sluice::cpu {

class Accelerator;

class CpuProgram final : public engine::Program {
public:
    CpuProgram(std::vector<ProgramPart> parts, std::shared_ptr<const engine::Dictionary> attributes,
               std::shared_ptr<const engine::Dictionary> scanned, std::shared_ptr<EventSample> sample,
               std::shared_ptr<Accelerator> accelerator);

    const std::shared_ptr<const engine::Dictionary>& attributes() const override { return attributes_; }
    const std::shared_ptr<const engine::Dictionary>& scanned() const override { return scanned_; }
    void match(const engine::EventBatch& batch, std::vector<engine::Match>& matches) const override;

private:
    std::vector<ProgramPart> parts_;
    std::shared_ptr<const engine::Dictionary> attributes_, scanned_;
    std::shared_ptr<Accelerator> accelerator_;  // or null
    std::shared_ptr<EventSample> sample_;       // shared by the programs whose attributes have the same ids
};

}  // namespace sluice::cpu
