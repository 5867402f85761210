#include "broker/match/batch_matcher.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace sluice::broker {

namespace {

constexpr std::size_t part_bytes = 64u << 20;        // of the values of a batch; more are matched in parts
constexpr std::size_t charged_at_once = 64u << 10;   // smaller changes of memory are not charged
constexpr std::size_t looks_per_pause = 256;         // at scanned conditions that take hardly any time
constexpr std::uint64_t steps_at_once = 20'000;      // of scanned conditions
constexpr std::size_t kept_values_bytes = 4u << 20;  // of a batch's values, for the next one

// A batch's matches from those of a part of it that begins with event `first`.
void append_matches(std::span<const engine::Match> of_part, std::size_t first, std::vector<engine::Match>& all) {
    const auto word = static_cast<std::uint32_t>(first / 32);
    const unsigned shift = first % 32;
    for (const engine::Match& m : of_part) {
        const std::uint64_t events = std::uint64_t{m.accepted} << shift;
        for (const std::uint32_t w : {0u, 1u}) {
            const auto accepted = static_cast<std::uint32_t>(events >> 32 * w);
            if (accepted != 0) all.push_back({m.subscription, word + m.word + w, accepted});
        }
    }
}

}  // namespace

BatchMatcher::BatchMatcher(const BatchLimits& limits, std::function<void(double ns)> pause)
    : limits_(limits),
      owners_(limits.owners),
      leaves_(
          limits.scan,
          [this] {
              if (!timer_) timer_.emplace();
              this->pause();
          },
          owners()),
      reading_(limits.scan, [this] { this->pause(); }),
      memory_(limits.memory) {
    if (limits.condition_time != BatchLimits::none)
        batch_.operator_ns_max = static_cast<double>(limits.condition_time.count());
    if (limits.event_time != BatchLimits::none) batch_.group_ns_max = static_cast<double>(limits.event_time.count());
    if (limits.computed_owners != nullptr) share_budgets(*limits.computed_owners);
    batch_.pause = std::move(pause);
    batch_.scan = [this](std::uint32_t scanned, std::uint32_t event) { return scan(scanned, part_[event]); };
    batch_.work = &work_;
    batch_.on_device = &on_device_;
    if (memory_ != nullptr) charge_ = memory_->force_charge(base::MemoryUse::evaluation, 0);
}

// Called in the midst of an evaluation.
void BatchMatcher::pause() {
    charge();
    if (batch_.pause) batch_.pause(0);
}

std::size_t BatchMatcher::extracted_bytes() const {
    return batch_.values.size() * sizeof(engine::Value) + arena_.bytes();
}

void BatchMatcher::charge() {
    if (memory_ == nullptr) return;
    const std::size_t bytes =
        batch_.values.capacity() * sizeof(engine::Value) + arena_.bytes() + groups_.bytes() + leaves_.bytes();
    const std::size_t change = std::max(bytes, charge_.bytes()) - std::min(bytes, charge_.bytes());
    if (change >= charged_at_once) charge_.force_resize(bytes);
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
    begin_batch();
    scanned_ = program.scanned();
    names_ = program.attributes();
    leaves_.assign(std::shared_ptr<const feed::ScannedLeaves::Conditions>(scanned_, &scanned_->conditions));
    std::size_t first = 0;
    do {
        const auto begun = times_extraction_ ? ScanCost::Clock::now() : ScanCost::Clock::time_point();
        const std::size_t end = extract(extractor, events, first);
        if (times_extraction_) extraction_time_ += ScanCost::Clock::now() - begun;
        match_part(program, events.subspan(first, end - first), first);
        first = end;
    } while (first < events.size());
    leaves_.end_batch();
    if (batch_.size() == events.size()) whole_batch_ = events;
    charge();
    return matches_;
}

// The budget of the event for computed conditions. It depends on the number of its document's events alone, so that an
// event ends alike in every batch. In powers of two, so that events of most documents share a batch.
double BatchMatcher::event_ns_max(const feed::Event& event) const {
    const auto whole = static_cast<double>(limits_.event_time.count());
    if (limits_.event_time == BatchLimits::none) return std::numeric_limits<double>::infinity();
    if (limits_.document_time == BatchLimits::none) return whole;
    const double of_all = whole * static_cast<double>(event.document->items().size());
    const auto parts = std::ceil(of_all / static_cast<double>(limits_.document_time.count()));
    return whole / static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(std::max(1.0, parts))));
}

// Reads events from the `first` on that have the same budget, until their values take much memory; returns the end.
std::size_t BatchMatcher::extract(const feed::Extractor& extractor, std::span<const feed::Event> events,
                                  std::size_t first) {
    batch_.clear();
    arena_.clear();
    std::size_t end = first;
    batch_.event_ns_max = events.empty() ? std::numeric_limits<double>::infinity() : event_ns_max(events[first]);
    const auto belongs = [&](const feed::Event& event) {
        return extracted_bytes() < part_bytes &&
               (event.document == events[first].document || event_ns_max(event) == batch_.event_ns_max);
    };
    while (end < events.size() && (end == first || belongs(events[end]))) {
        const std::size_t values_read = groups_.values_read();
        extractor.extract(events[end++], batch_, arena_, groups_, reading_);
        if (batch_.pause && groups_.values_read() != values_read) batch_.pause(0);  // there may be many values
    }
    for (const auto& unknown : batch_.unknown) ++cost_.unread[unknown.attribute];
    charge();
    return end;
}

void BatchMatcher::match_part(const engine::Program& program, std::span<const feed::Event> events, std::size_t first) {
    part_ = events;
    if (first == 0) {
        batch_.undecided = &undecided_;
        return program.match(batch_, matches_);
    }
    matches_of_part_.clear();
    undecided_of_part_.clear();
    batch_.undecided = &undecided_of_part_;
    program.match(batch_, matches_of_part_);
    append_matches(matches_of_part_, first, matches_);
    append_matches(undecided_of_part_, first, undecided_);
}

feed::ScannedLeaves::Owners BatchMatcher::owners() {
    if (owners_ == nullptr) return {};
    return {[this](std::size_t scanned) { return owners_of(scanned); }, [this] { return owners_->owners(); },
            [this] { return owners_->version(); }};
}

std::span<const feed::ScanOwner> BatchMatcher::owners_of(std::size_t scanned) {
    owners_->find(scanned_->names[scanned], owners_found_);
    return owners_found_;
}

void BatchMatcher::share_budgets(const ScanOwners& owners) {
    batch_.owners_of = [this, &owners](std::uint32_t attribute, const engine::Measure& measure,
                                       const operators::Bounds& bounds, std::vector<std::uint64_t>& into) {
        owners.find(computed_key(names_->names[attribute], measure, bounds), into);
    };
}

std::optional<bool> BatchMatcher::scan(std::uint32_t scanned, const feed::Event& event) {
    if (++looks_ > looks_per_pause || steps_ > steps_at_once) {
        looks_ = 0;
        steps_ = 0;
        pause();
    }
    timer_.reset();
    const std::optional<bool> holds = leaves_.holds(scanned, event);
    steps_ += leaves_.last_steps();
    const ScanCost::Clock::duration time = took();
    if (timer_) charge();
    ++cost_.scans;
    cost_.steps += leaves_.last_steps();
    cost_.total += time;
    if (time >= ScanCost::costly_from || !holds) note_costly(scanned, time, holds.has_value());
    return holds;
}

// The time of the last evaluation. Processor time, since nobody pays for a thread that the machine has stopped.
std::chrono::nanoseconds BatchMatcher::took() const {
    const std::chrono::nanoseconds steps(leaves_.last_steps());
    if (!timer_) return steps;
    return std::chrono::nanoseconds(std::min(leaves_.last_steps(), feed::ScannedLeaves::steps_per_pause)) + (*timer_)();
}

void BatchMatcher::note_costly(std::uint32_t scanned, ScanCost::Clock::duration took, bool decided) {
    const bool is_slow = took >= ScanCost::costly_from;
    const bool has_room = cost_.costly.size() < ScanCost::undecided_named_max;
    if (!is_slow && !has_room && !cost_.costly.contains(scanned)) return;
    ScanCost::Costly& costly = cost_.costly[scanned];
    if (is_slow) ++costly.evaluations;
    if (!decided) ++costly.undecided;
    costly.total += took;
    costly.slowest = std::max(costly.slowest, took);
}

// Forgets the results of the last batch, even if it ended in an exception. Its values are there until extract().
void BatchMatcher::begin_batch() {
    cost_ = {};
    work_ = {};
    on_device_ = false;
    extraction_time_ = {};
    matches_.clear();
    undecided_.clear();
    whole_batch_ = {};
    reading_.forget_documents();
    groups_.forget_documents();
    groups_.begin_batch();
}

void BatchMatcher::rest() {
    reading_.forget_documents();
    leaves_.assign(nullptr);
    scanned_.reset();
    names_.reset();
    whole_batch_ = {};
    batch_.clear();
    if (batch_.values.capacity() * sizeof(engine::Value) > kept_values_bytes)
        std::vector<engine::Value>().swap(batch_.values);
    arena_.clear();
    groups_.forget_documents();
    charge();
}

}  // namespace sluice::broker
