#include "broker/core/replay/past_matches.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "broker/core/matching/subscription.hpp"
#include "broker/store/selected_extent.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/filter/siblings.hpp"

namespace sluice::broker {

namespace {

using Nanoseconds = std::chrono::duration<double, std::nano>;

constexpr std::size_t batch_events_max = 256;
constexpr std::size_t batch_bytes = 256u << 10;  // of a batch's records, unless the first is larger
constexpr double short_batch_ns = 5e6, long_batch_ns = 20e6, endless_batch_ns = 200e6;
constexpr double event_ns = 500, byte_ns = 20;  // for reading an event and matching it, and for parsing a record

// A batch takes much longer than the one before it: it is matched again, event by event.
struct LongBatch : std::exception {};
struct OverLimit : std::exception {};

}  // namespace

// The scope is a subscription of its own: so it is decided by itself, and what it does not permit counts for nothing,
// whatever becomes of the filter.
PastMatches::Compiled PastMatches::compile(const filter::Filter& filter, const auth::Scope& scope) {
    const auto set = engine::make_subscription_set(engine::Backend::cpu);
    Compiled compiled;
    compiled.filter = set->add(filter.disjunction);
    compiled.scope = set->add(make_subscription(scope, "", {{}, {engine::Conjunction{}}}).disjunction);
    compiled.program = set->compile();
    return compiled;
}

PastMatches::PastMatches(const filter::Filter& filter, Source source, const Limits& limits, std::function<void()> pause)
    : source_(std::move(source)),
      limits_(limits),
      pause_(std::move(pause)),
      stream_(store::log_stream(source_.scope.streams())),
      needs_siblings_(filter::needs_siblings(filter).has_value()),
      end_id_(source_.log.last_id() + 1),
      matcher_(limits.conditions, [this](double ns) { spend(ns); }),
      documents_(limits.documents, source_.memory),
      compiled_(compile(filter, source_.scope)),
      next_id_(source_.first_id) {}

bool PastMatches::step() {
    const double enough_ns = spent_ns_ + Nanoseconds(step_time).count();
    do {
        try {
            if (!read_batch()) return false;
        } catch (const LongBatch&) {
            batch_events_ = 1;
        } catch (const OverLimit&) {
            return false;
        }
    } while (spent_ns_ < enough_ns);
    return true;
}

void PastMatches::spend(double ns) {
    pause_();
    const std::uint64_t steps = matcher_.scan_cost().steps;
    ns += static_cast<double>(steps - std::exchange(scan_steps_, steps));
    spent_ns_ += ns;
    batch_ns_ += ns;
    if (spent_ns_ > Nanoseconds(limits_.time).count()) throw OverLimit();
    if (batch_ns_ > endless_batch_ns && read_.size() > 1) throw LongBatch();
}

// Of several streams, damage is not told: it may be of others.
bool PastMatches::has_dropped(const store::Slice& slice) const {
    const text::StreamSelection& streams = source_.scope.streams();
    if (streams.is_all() || !streams.single().empty()) return slice.dropped_id >= next_id_ || slice.damaged_id != 0;
    return slice.dropped_id >= next_id_ && store::selected_extent(source_.log, streams).dropped_id >= next_id_;
}

// Returns false when there is nothing more to read. What an exception interrupts counts for nothing, and is read again.
bool PastMatches::read_batch() {
    counts_.is_complete = next_id_ >= end_id_;
    if (counts_.is_complete || events_read_ == limits_.events) return false;
    batch_ns_ = 0;
    read_.clear();
    events_.clear();
    read_of_.clear();
    const auto events_max = std::min<std::uint64_t>(batch_events_, limits_.events - events_read_);
    const store::Slice slice = source_.log.read(stream_, next_id_, events_max, batch_bytes);
    counts_.has_dropped |= has_dropped(slice);
    for (const store::KeptEvents& kept : slice.kept) read(kept);
    if (!events_.empty()) match();
    count();
    keep_examples();
    next_id_ = slice.next_id;
    if (batch_ns_ < short_batch_ns) batch_events_ = std::min(2 * batch_events_, batch_events_max);
    if (batch_ns_ > long_batch_ns) batch_events_ = std::max<std::size_t>(batch_events_ / 2, 1);
    return true;
}

void PastMatches::read(const store::KeptEvents& kept) {
    const feed::DocumentRecordPtr& record = kept.of->record;
    const bool is_context_missing = needs_siblings_ && record->context == feed::RecordContext::item;
    feed::DocumentPtr document;
    for (const feed::EventHead& head : kept.events) {
        if (head.id >= end_id_) return;
        spend(event_ns);
        read_.push_back({&kept, &head, Outcome::context, source_.scope.permits_all_of(*kept.of->stream)});
        if (!source_.scope.streams().matches(*kept.of->stream)) continue;
        if (is_context_missing) continue;
        if (std::exchange(last_record_, record) != record) spend(byte_ns * static_cast<double>(record->text->size()));
        if (document == nullptr) document = documents_.document(record);
        const auto item = document ? feed::find_item(*document, head.item) : std::nullopt;
        read_.back().outcome = item ? Outcome::other : Outcome::undelivered;
        if (!item) continue;
        events_.push_back({document, *item, kept.of->stream, head.id, head.time, head.change});
        read_of_.push_back(read_.size() - 1);
    }
}

void PastMatches::match() {
    scan_steps_ = 0;  // the matcher begins again, too
    matcher_.match(*compiled_.program, events_);
    spend(0);
    note(matcher_.undecided(), compiled_.filter, [](Read& read) { read.outcome = Outcome::over_budget; });
    note(matcher_.matches(), compiled_.filter, [](Read& read) { read.outcome = Outcome::matched; });
    note(matcher_.matches(), compiled_.scope, [](Read& read) { read.is_permitted = true; });
}

template <class Note>
void PastMatches::note(std::span<const engine::Match> matches, engine::SubscriptionId of, Note note) {
    for (const engine::Match& match : matches) {
        if (match.subscription.slot != of.slot) continue;
        for (std::uint32_t bits = match.accepted; bits != 0; bits &= bits - 1)
            note(read_[read_of_[match.word * 32 + static_cast<std::size_t>(std::countr_zero(bits))]]);
    }
}

void PastMatches::count() {
    if (read_.empty()) return;
    events_read_ += read_.size();
    counts_.last_read_id = read_.back().head->id;
    counts_.last_read_time = read_.back().head->time;
    std::erase_if(read_, [](const Read& read) { return !read.is_permitted; });
    for (const Read& read : read_) {
        const feed::RecordTime time = read.head->time;
        Hour& hour = counts_.hours[time - time % hour_us];
        const std::uint64_t matched = read.outcome == Outcome::matched ? 1 : 0;
        ++hour.events;
        hour.matched += matched;
        ++counts_.events;
        counts_.matched += matched;
        if (read.outcome == Outcome::over_budget) ++counts_.over_budget;
        if (read.outcome == Outcome::context) ++counts_.context;
        if (read.outcome == Outcome::undelivered) ++counts_.undelivered;
    }
    if (read_.empty()) return;
    counts_.last_id = read_.back().head->id;
    counts_.last_time = read_.back().head->time;
}

void PastMatches::keep_examples() {
    std::vector<const Read*> newest;
    for (std::size_t i = read_.size(); i-- > 0 && newest.size() < examples_max;)
        if (read_[i].outcome == Outcome::matched) newest.push_back(&read_[i]);
    while (!examples_.empty() && examples_.size() + newest.size() > examples_max) examples_.pop_front();
    for (; !newest.empty(); newest.pop_back()) {
        const Read& read = *newest.back();
        Example example{read.kept->of, *read.head, nullptr};
        if (!examples_.empty() && examples_.back().of == example.of) {
            example.memory = examples_.back().memory;
        } else {
            auto memory = source_.memory.charge(base::MemoryUse::evaluation, example.of->record->text->size());
            if (!memory) throw StoredDocuments::NoMemory();
            example.memory = std::make_shared<const base::MemoryCharge>(std::move(memory));
        }
        examples_.push_back(std::move(example));
    }
}

}  // namespace sluice::broker
