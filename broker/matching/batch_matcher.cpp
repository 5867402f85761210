#include "broker/matching/batch_matcher.hpp"

#include <utility>

namespace sluice {

BatchMatcher::BatchMatcher(std::chrono::nanoseconds condition_time_max, std::function<void()> pause)
    : leaves_(condition_time_max) {
    if (condition_time_max != std::chrono::nanoseconds::max())
        batch_.operator_ns_max = static_cast<double>(condition_time_max.count());
    batch_.pause = std::move(pause);
    batch_.undecided = &undecided_;
    batch_.work = &work_;
}

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

std::span<const Match> BatchMatcher::match(const Program& program, std::span<const Event> events) {
    forget_batch();
    use_dictionaries_of(program);
    for (const Event& event : events) extractor_->extract(event, batch_, arena_);
    batch_.scan = [this, events](std::uint32_t scanned, std::uint32_t event) { return scan(scanned, events[event]); };
    program.match(batch_, matches_);
    leaves_.end_batch();
    return matches_;
}

std::optional<bool> BatchMatcher::scan(std::uint32_t scanned, const Event& event) {
    if (batch_.pause) batch_.pause();
    const auto begin = ScanCost::Clock::now();
    const std::optional<bool> holds = leaves_.holds(scanned, event);
    const auto took = ScanCost::Clock::now() - begin;
    leaves_.took(scanned, event, took);
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
    undecided_.clear();
    batch_.clear();
    arena_.clear();
}

}  // namespace sluice
