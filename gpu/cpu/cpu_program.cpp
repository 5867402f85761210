#include "gpu/cpu/cpu_program.hpp"

#include "gpu/cpu/accelerator.hpp"

namespace sluice::cpu {

namespace {

// One per thread, since clearing what one event has set is far cheaper than allocating anew. An exception during a
// match leaves it in an unknown state; the next match then starts with a fresh one.
class ThreadScratch {
public:
    ThreadScratch() {
        if (in_use_) scratch_ = {};
        in_use_ = true;
    }
    void done() { in_use_ = false; }
    Segment::Scratch& operator*() { return scratch_; }
    ScanCache::Memory& scans() { return scans_; }

private:
    thread_local static Segment::Scratch scratch_;
    thread_local static ScanCache::Memory scans_;
    thread_local static bool in_use_;
};

thread_local Segment::Scratch ThreadScratch::scratch_;
thread_local ScanCache::Memory ThreadScratch::scans_;
thread_local bool ThreadScratch::in_use_ = false;

}  // namespace

CpuProgram::CpuProgram(std::vector<ProgramPart> parts, std::shared_ptr<const engine::Dictionary> attributes,
                       std::shared_ptr<const engine::Dictionary> scanned, std::shared_ptr<EventSample> sample,
                       std::shared_ptr<Accelerator> accelerator)
    : parts_(std::move(parts)),
      attributes_(std::move(attributes)),
      scanned_(std::move(scanned)),
      accelerator_(std::move(accelerator)),
      sample_(std::move(sample)) {}

void CpuProgram::match(const engine::EventBatch& batch, std::vector<engine::Match>& matches) const {
    ThreadScratch scratch;
    ScanCache scans(batch, scratch.scans());
    if (accelerator_ && batch.unknown.empty())
        accelerator_->match(parts_, batch, scans, *scratch, matches);
    else
        for (const ProgramPart& part : parts_) part.segment->match(batch, part.removed.get(), scans, *scratch, matches);
    (*scratch).shared.end_batch();
    scratch.done();
    sample_->observe(batch, static_cast<std::uint32_t>(attributes_->names.size()));
}

}  // namespace sluice::cpu
