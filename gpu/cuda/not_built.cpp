#include "gpu/cuda/cuda_accelerator.hpp"
#include "gpu/device/processor.hpp"

namespace sluice::cuda {

namespace {

class NotBuilt final : public cpu::Accelerator {
public:
    explicit NotBuilt(engine::Backend backend) : backend_(backend) {}

    void mirror(const cpu::Segment&) noexcept override {}
    void keep(std::span<const cpu::ProgramPart>) override {}
    void match(std::span<const cpu::ProgramPart> parts, const engine::EventBatch& batch, cpu::ScanCache& scans,
               cpu::Segment::Scratch& scratch, std::vector<engine::Match>& matches) override {
        for (const cpu::ProgramPart& part : parts)
            part.segment->match(batch, part.removed.get(), scans, scratch, matches);
    }
    engine::EngineStatus status() const override {
        engine::EngineStatus status;
        status.backend = backend_ == engine::Backend::cuda ? "cuda" : "auto";
        status.reason = "the CPU matches: this program was built without CUDA";
        return status;
    }

private:
    engine::Backend backend_;
};

}  // namespace

std::string why_no_gpu() { return "this build has no CUDA"; }

std::shared_ptr<cpu::Accelerator> make_cuda_accelerator(const engine::EngineOptions& options, const BatchLimits&) {
    return std::make_shared<NotBuilt>(options.backend);
}

}  // namespace sluice::cuda
