#include "broker/core/matching/match_counts.hpp"

#include <exception>

#include "broker/base/log.hpp"
#include "broker/core/matching/costly_log.hpp"

namespace sluice::broker {

namespace {

// One evaluation of one condition; its stream makes no progress meanwhile.
constexpr std::chrono::milliseconds slow_scan{100};

constexpr std::size_t unread_told_max = 16;  // paths of a batch that are named

std::uint64_t microseconds(ScanCost::Clock::duration duration) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(duration).count());
}

void count_work(Counters& counters, const operators::OperatorWork& work) {
    for (std::size_t i = 0; i < engine::measure_kinds; ++i) {
        const operators::OperatorWork::Kind& w = work.kinds[i];
        if (w.pairs == 0) continue;
        const OperatorCounters& c = counters.operators[i];
        count(c.texts, w.texts);
        count(c.pairs, w.pairs);
        count(c.cells, w.cells);
        count(c.filter_hits, w.filter_hits);
        count(c.verified, w.verified);
        count(c.holds, w.holds);
        count(c.unreadable, w.unreadable);
        count(c.device_texts, w.on_device.texts);
        count(c.device_pairs, w.on_device.pairs);
        count(c.device_cells, w.on_device.cells);
    }
    for (std::size_t f = 0; f < operators::operator_families; ++f) {
        const auto add = [&](Processor processor, std::uint64_t ns) {
            if (ns != 0) counters.operator_microseconds.of(f, processor).add(ns / 1'000);
        };
        add(Processor::cpu, work.times[f].cpu_ns);
        add(Processor::gpu, work.times[f].device_ns);
    }
    const substrings::Counters& contains = work.contains;
    if (contains.texts == 0) return;
    count(counters.contains.texts, contains.texts);
    count(counters.contains.bytes, contains.bytes);
    count(counters.contains.filter_hits, contains.filter_hits);
    count(counters.contains.verified, contains.verified);
    count(counters.contains.hits, contains.hits);
}

void count_scans(Counters& counters, const ScanCost& cost, const engine::Program& program) {
    count(counters.scans, cost.scans);
    count(counters.scan_microseconds, microseconds(cost.total));
    const auto add = [&](const std::string& condition, const CostlyConditions::Cost& of_condition) {
        if (counters.costly_conditions.add(condition, of_condition)) warn_of_budget(condition);
    };
    std::size_t left = unread_told_max;
    for (auto at = cost.unread.begin(); at != cost.unread.end() && left > 0; ++at, --left)
        add("path " + program.attributes()->names[at->first], {.undecided = at->second});
    for (const auto& [scanned, costly] : cost.costly) {
        const std::string& condition = program.scanned()->names[scanned];
        add(condition, {costly.evaluations, costly.undecided, costly.total, costly.slowest});
        if (costly.slowest >= slow_scan) warn_of_slowness(condition, costly.slowest);
    }
}

}  // namespace

void count_match_time(Counters& counters, Lane lane, Processor processor, std::chrono::steady_clock::duration took) {
    counters.match_microseconds.of(lane == Lane::slow, processor).add(microseconds(took));
}

void count_costs(Counters& counters, const BatchMatcher& matcher, const engine::Program& program) noexcept {
    try {
        count_scans(counters, matcher.scan_cost(), program);
        count_work(counters, matcher.operator_work());
    } catch (const std::exception& error) {
        base::log_failure("the cost of a batch was not counted", error.what());
    }
}

}  // namespace sluice::broker
