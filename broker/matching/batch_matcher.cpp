#include "broker/matching/batch_matcher.hpp"

namespace sluice {

void BatchMatcher::use_dictionaries_of(const Program& program) {
    if (attributes_ != program.attributes()) {
        extractor_.emplace(program.attributes()->names);
        attributes_ = program.attributes();
    }
    if (scanned_ != program.scanned()) {
        leaves_.assign(program.scanned()->names);
        scanned_ = program.scanned();
    }
}

std::span<const Match> BatchMatcher::match(const Program& program, std::span<const QueuedEvent> events) {
    forget_batch();
    use_dictionaries_of(program);
    for (const QueuedEvent& queued : events) extractor_->extract(queued.event, batch_, arena_);
    batch_.scan = [this, events](std::uint32_t scanned, std::uint32_t event) {
        return scan(scanned, events[event].event);
    };
    batch_.work = &work_;
    program.match(batch_, matches_);
    leaves_.end_batch();
    return matches_;
}

bool BatchMatcher::scan(std::uint32_t scanned, const Event& event) {
    const auto begin = ScanCost::Clock::now();
    const bool holds = leaves_.holds(scanned, event);
    const auto took = ScanCost::Clock::now() - begin;
    ++cost_.scans;
    cost_.total += took;
    if (took > cost_.slowest) {
        cost_.slowest = took;
        cost_.slowest_leaf = scanned;
    }
    return holds;
}

void BatchMatcher::forget_batch() {
    cost_ = {};
    work_ = {};
    leaves_.end_batch();
    matches_.clear();
    batch_.clear();
    arena_.clear();
}

}  // namespace sluice
