#include "gpu/cuda/cuda_accelerator.hpp"

namespace sluice {

namespace {

class NotBuilt final : public Accelerator {
public:
    explicit NotBuilt(Backend backend) : backend_(backend) {}

    void mirror(const Segment&) noexcept override {}
    void keep(std::span<const CpuProgram::Part>) override {}
    void match(std::span<const CpuProgram::Part> parts, const EventBatch& batch, ScanCache& scans,
               Segment::Scratch& scratch, std::vector<Match>& matches) override {
        for (const CpuProgram::Part& part : parts)
            part.segment->match(batch, part.removed.get(), scans, scratch, matches);
    }
    EngineStatus status() const override {
        EngineStatus status;
        status.backend = backend_ == Backend::cuda ? "cuda" : "auto";
        status.reason = "the CPU matches: this program was built without CUDA";
        return status;
    }

private:
    Backend backend_;
};

}  // namespace

std::shared_ptr<Accelerator> make_cuda_accelerator(const EngineOptions& options) {
    return std::make_shared<NotBuilt>(options.backend);
}

}  // namespace sluice
