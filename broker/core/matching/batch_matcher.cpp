#include "broker/core/matching/batch_matcher.hpp"

#include <algorithm>
#include <utility>

#include "broker/base/cpu_time.hpp"

namespace sluice::broker {

BatchMatcher::BatchMatcher(const BatchLimits& limits, std::function<void(double ns)> pause)
    : owners_(limits.owners),
      leaves_(limits.scan, pause ? std::function<void()>([pause] { pause(0); }) : std::function<void()>(),
              [this](std::size_t scanned) { return owners_of(scanned); }) {
    const auto bound = [](std::chrono::nanoseconds time, double& ns_max) {
        if (time != BatchLimits::none) ns_max = static_cast<double>(time.count());
    };
    bound(limits.condition_time, batch_.operator_ns_max);
    bound(limits.event_time, batch_.event_ns_max);
    batch_.pause = std::move(pause);
    batch_.undecided = &undecided_;
    batch_.work = &work_;
}

std::span<const engine::Match> BatchMatcher::match(const engine::Program& program,
                                                   std::span<const feed::Event> events) {
    if (attributes_ != program.attributes()) {
        extractor_.emplace(program.attributes()->names);
        attributes_ = program.attributes();
    }
    return match(program, *extractor_, events);
}

std::span<const engine::Match> BatchMatcher::match(const engine::Program& program, const feed::Extractor& extractor,
                                                   std::span<const feed::Event> events) {
    forget_batch();
    scanned_ = program.scanned();
    leaves_.assign(std::shared_ptr<const feed::ScannedLeaves::Conditions>(scanned_, &scanned_->conditions));
    for (const feed::Event& event : events) extract(extractor, event);
    batch_.scan = [this, events](std::uint32_t scanned, std::uint32_t event) { return scan(scanned, events[event]); };
    program.match(batch_, matches_);
    leaves_.end_batch();
    return matches_;
}

void BatchMatcher::extract(const feed::Extractor& extractor, const feed::Event& event) {
    const std::size_t values_read = groups_.values_read();
    extractor.extract(event, batch_, arena_, groups_);
    if (batch_.pause && groups_.values_read() != values_read) batch_.pause(0);  // there may be many values
}

std::span<const feed::ScanOwner> BatchMatcher::owners_of(std::size_t scanned) {
    owners_found_.clear();
    if (owners_ != nullptr) owners_->find(scanned_->names[scanned], owners_found_);
    return owners_found_;
}

std::optional<bool> BatchMatcher::scan(std::uint32_t scanned, const feed::Event& event) {
    if (batch_.pause) batch_.pause(0);
    const base::WorkTimer timer;  // nobody pays for a thread that the machine has stopped
    const std::optional<bool> holds = leaves_.holds(scanned, event);
    const ScanCost::Clock::duration took = timer();
    ++cost_.scans;
    cost_.total += took;
    if (took >= ScanCost::costly_from || !holds) note_costly(scanned, took, holds.has_value());
    return holds;
}

void BatchMatcher::note_costly(std::uint32_t scanned, ScanCost::Clock::duration took, bool decided) {
    ScanCost::Costly& costly = cost_.costly[scanned];
    if (took >= ScanCost::costly_from) ++costly.evaluations;
    if (!decided) ++costly.undecided;
    costly.total += took;
    costly.slowest = std::max(costly.slowest, took);
}

void BatchMatcher::forget_batch() {
    cost_ = {};
    work_ = {};
    leaves_.begin_batch();
    leaves_.end_batch();
    scanned_.reset();
    matches_.clear();
    undecided_.clear();
    batch_.clear();
    arena_.clear();
    groups_.forget_documents();
    groups_.begin_batch();
}

}  // namespace sluice::broker
