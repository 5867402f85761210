#include "broker/matching/matcher.hpp"

#include <exception>
#include <stdexcept>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"

namespace sluice {

namespace {

// One evaluation of one part of one filter; nothing else is matched meanwhile.
constexpr std::chrono::milliseconds slow_scan{100};

}  // namespace

Matcher::Matcher(Settings settings, EventQueue& queue, Fanout& fanout, Counters& counters)
    : settings_(settings), queue_(queue), fanout_(fanout), counters_(counters) {}

Matcher::~Matcher() {
    for (std::thread& thread : threads_) thread.join();
}

void Matcher::set_program(std::shared_ptr<const Program> program, std::uint64_t number) {
    const std::lock_guard lock(program_mutex_);
    program_.swap(program);
    program_number_ = number;
}

void Matcher::start() {
    running_ = settings_.threads;
    for (std::size_t i = 0; i < settings_.threads; ++i) threads_.emplace_back([this] { run(); });
}

bool Matcher::wait_until_done(std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(turn_mutex_);
    return turn_changed_.wait_until(lock, deadline, [this] { return running_ == 0; });
}

void Matcher::run() {
    name_thread("sluiced match");
    BatchMatcher matcher(settings_.condition_time_max, [this] {
        if (interrupted_.load(std::memory_order_relaxed)) throw std::runtime_error("interrupted by the daemon's end");
    });
    Batch batch;
    while (take(batch)) {
        process(batch, matcher);
        batch = {};  // an idle matcher keeps no documents and no program alive
    }
    const std::lock_guard lock(turn_mutex_);
    --running_;
    turn_changed_.notify_all();
}

bool Matcher::take(Batch& batch) {
    const std::lock_guard lock(take_mutex_);
    if (!queue_.pop(settings_.batch_events, settings_.batch_delay, batch.events)) return false;
    batch.number = next_number_++;
    // Only now: a subscription that was in place before an event was published is in the program that matches it.
    const std::lock_guard program_lock(program_mutex_);
    batch.program = program_;
    batch.program_number = program_number_;
    return true;
}

void Matcher::count_work(const OperatorWork& work) {
    for (std::size_t i = 0; i < measure_kinds; ++i) {
        const OperatorWork::Kind& w = work.kinds[i];
        if (w.pairs == 0) continue;
        Counters::OfOperator& c = counters_.operators[i];
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
    const exact::Counters& contains = work.contains;
    if (contains.texts == 0) return;
    count(counters_.contains.texts, contains.texts);
    count(counters_.contains.bytes, contains.bytes);
    count(counters_.contains.filter_hits, contains.filter_hits);
    count(counters_.contains.verified, contains.verified);
    count(counters_.contains.hits, contains.hits);
}

void Matcher::count_scans(const ScanCost& cost, const Program& program) {
    using std::chrono::duration_cast;
    if (cost.scans == 0) return;
    count(counters_.scans, cost.scans);
    const auto microseconds = duration_cast<std::chrono::microseconds>(cost.total).count();
    count(counters_.scan_microseconds, static_cast<std::uint64_t>(microseconds));
    if (cost.slowest < slow_scan) return;
    log_warn("slow filter", {{"milliseconds", duration_cast<std::chrono::milliseconds>(cost.slowest).count()},
                             {"scanned", program.scanned()->names[cost.slowest_leaf]}});
}

void Matcher::process(Batch& batch, BatchMatcher& matcher) {
    Fanout::Outcome outcome{batch.events, {}, {}, batch.program_number};
    try {
        outcome.matches = matcher.match(*batch.program, batch.events);
        outcome.undecided = matcher.undecided();
        count_scans(matcher.scan_cost(), *batch.program);
        count_work(matcher.operator_work());
    } catch (const std::exception& error) {
        log_error("batch could not be matched", {{"events", batch.events.size()}, {"reason", error.what()}});
        count(counters_.events_lost, batch.events.size());
    }
    {
        std::unique_lock lock(turn_mutex_);
        turn_changed_.wait(lock, [&] { return turn_ == batch.number; });
    }
    try {
        fanout_.deliver(outcome);
    } catch (const std::exception& error) {
        log_error("batch could not be delivered", {{"events", batch.events.size()}, {"reason", error.what()}});
        count(counters_.events_lost, batch.events.size());
    }
    count(counters_.batches);
    count(counters_.events_matched, batch.events.size());
    const std::lock_guard lock(turn_mutex_);
    ++turn_;
    turn_changed_.notify_all();
}

}  // namespace sluice
