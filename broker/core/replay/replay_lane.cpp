#include "broker/core/replay/replay_lane.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include "broker/base/log.hpp"
#include "broker/base/thread_name.hpp"
#include "broker/core/delivery/delivery_counts.hpp"
#include "broker/core/matching/match_counts.hpp"
#include "broker/core/matching/prepared_batch.hpp"
#include "broker/store/selected_extent.hpp"
#include "protocol/feed/model/source_range.hpp"
#include "protocol/filter/siblings.hpp"

namespace sluice::broker {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t riders_max = 1'024;            // for whom a step finds events
constexpr std::size_t costly_events = 8;             // of the first step of a reader with costly filters
constexpr auto short_step = 10ms, long_step = 50ms;  // the next one reads more, or less
constexpr int niceness = 10;

// The subscriber's filters, and which of them look at siblings.
std::vector<Subscription> compile(const Subscriber& subscriber, const filter::FilterLimits& limits,
                                  std::vector<std::uint32_t>& beside) {
    std::vector<Subscription> compiled;
    for (const std::string& text : subscriber.filters) {
        auto filter = filter::compile_filter(text, limits);
        if (!filter) throw std::runtime_error("a filter can't be compiled again: " + filter.error().message);
        if (filter::needs_siblings(*filter)) beside.push_back(static_cast<std::uint32_t>(compiled.size()));
        compiled.push_back(make_subscription(subscriber.scope, filter->canonical, std::move(filter->disjunction)));
    }
    if (compiled.empty()) compiled.push_back(make_subscription(subscriber.scope, "", {{}, {engine::Conjunction{}}}));
    return compiled;
}

// Some of the streams, and not one alone: the log is read for all streams.
bool is_several(const Reader& reader) { return reader.stream().empty() && !reader.subscriber->selection().is_all(); }

// And its user is to learn nothing of the other ones.
bool is_restricted(const Reader& reader) { return is_several(reader) && reader.subscriber->scope.is_restricted(); }

}  // namespace

ReplayLane::ReplayLane(const ReplaySettings& settings, const ReplayContext& context, Kind kind)
    : settings_(settings),
      context_(context),
      kind_(kind),
      matcher_(settings.limits, [this](double) { pause(); }),
      rows_(settings.limits, [this](double) { pause(); }),
      documents_(settings.documents, context.memory),
      shared_program_(std::make_shared<ReplayProgram>()) {}

ReplayLane::~ReplayLane() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    requested_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void ReplayLane::start() {
    thread_ = std::thread([this] { run(); });
}

void ReplayLane::request(const std::shared_ptr<Subscriber>& subscriber) {
    {
        const std::lock_guard lock(mutex_);
        requests_.push_back(subscriber);
    }
    requested_.notify_one();
}

void ReplayLane::drop_gone() noexcept {
    {
        const std::lock_guard lock(mutex_);
        any_gone_ = true;
    }
    requested_.notify_one();
}

void ReplayLane::pause() const {
    if (stopping_.load(std::memory_order_relaxed)) throw Stopped();
}

void ReplayLane::run() {
    base::name_thread(kind_ == Kind::shared ? "sluiced replay" : "sluiced replay2");
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), niceness);  // of this thread only
    while (take_requests()) {
        if (!ready_.empty()) serve_next();
    }
}

// Waits for requests if there is nothing else to do. Returns false at the end.
bool ReplayLane::take_requests() {
    std::vector<std::shared_ptr<Subscriber>> requests;
    bool any_gone = false;
    {
        std::unique_lock lock(mutex_);
        if (ready_.empty() && requests_.empty() && !any_gone_ && !stopping_) {
            lock.unlock();
            matcher_.rest();
            rows_.rest();
            documents_.forget();
            lock.lock();
            requested_.wait(lock, [this] { return !requests_.empty() || any_gone_ || stopping_; });
        }
        if (stopping_) return false;
        requests.swap(requests_);
        any_gone = std::exchange(any_gone_, false);
    }
    for (const auto& subscriber : requests) accept(subscriber);
    if (!any_gone) return true;
    for (auto at = readers_.begin(); at != readers_.end();) {
        Reader& reader = *(at++)->second;
        if (reader.subscriber->gone) drop(reader);
    }
    return true;
}

void ReplayLane::accept(const std::shared_ptr<Subscriber>& subscriber) {
    if (subscriber->gone) return;
    try {
        auto found = readers_.find(subscriber.get());
        if (found == readers_.end()) found = readers_.emplace(subscriber.get(), make_reader(subscriber)).first;
        make_ready(*found->second);
    } catch (const std::exception& error) {
        base::log_failure("a replay can't begin", error.what());
        subscriber->mailbox.finish(EndReason{EndReason::Kind::undelivered});
    }
}

std::unique_ptr<Reader> ReplayLane::make_reader(const std::shared_ptr<Subscriber>& subscriber) {
    auto reader = std::make_unique<Reader>();
    reader->subscriber = subscriber;
    std::vector<Subscription> filters = compile(*subscriber, settings_.filters, reader->beside);
    know_first(*reader);
    std::size_t bytes = sizeof(Reader) + reader->told.ids.size() * sizeof(std::uint64_t);
    for (const Subscription& filter : filters) bytes += filter.memory.kept + filter.memory.engine;
    reader->filter_memory = context_.memory.force_charge(base::MemoryUse::filters, bytes);
    const bool is_shared = kind_ == Kind::shared;
    reader->program = is_shared ? shared_program_ : std::make_shared<ReplayProgram>();
    if (!is_shared) reader->events_max = costly_events;
    reader->program->add(*reader, std::move(filters));
    subscriber->has_replayed = true;
    return reader;
}

// It knows of those drops that it need not be told of.
void ReplayLane::know_first(Reader& reader) const {
    const Subscriber& subscriber = *reader.subscriber;
    reader.told = {subscriber.told_drops, subscriber.told_dropped, subscriber.told_forgotten};
    reader.told_at = reader.looked_at = 0;
    if (!is_restricted(reader) || !reader.told.ids.empty()) return;
    // If these are all until now, it knows of those of its streams.
    store::KnownDrops now = store::drops_of(store::selected_extents(context_.log, subscriber.selection()));
    if (now.drops == subscriber.told_drops) reader.told = std::move(now);
}

void ReplayLane::drop(Reader& reader) noexcept {
    if (reader.is_ready) std::erase(ready_, &reader);
    reader.program->remove(reader);
    readers_.erase(reader.subscriber.get());
}

void ReplayLane::make_ready(Reader& reader) {
    if (reader.is_ready) return;
    ready_.push_back(&reader);
    reader.is_ready = true;
}

// Returns false if it wants no events now.
bool ReplayLane::begin_step(Reader& reader) {
    const Mailbox& mailbox = reader.subscriber->mailbox;
    if (!mailbox.wants_replayed()) return false;
    reader.next = mailbox.next_id();
    reader.is_lost = false;
    reader.end = reader.subscriber->last_id == Subscriber::no_id ? no_end : reader.subscriber->last_id + 1;
    return true;
}

void ReplayLane::serve_next() {
    Reader& first = *ready_.front();
    if (first.subscriber->gone || first.subscriber->mailbox.state() != Mailbox::State::open) return drop(first);
    if (const auto asked = first.subscriber->mailbox.take_asked(first.again_max); !asked.empty())
        return serve_again(first, asked);
    if (!begin_step(first)) {  // its session asks again when it has taken what there is
        if (first.subscriber->mailbox.is_live()) return drop(first);
        ready_.pop_front();
        first.is_ready = false;
        return;
    }
    try {
        serve(first);
    } catch (const StoredDocuments::NoMemory&) {
        std::unique_lock lock(mutex_);
        requested_.wait_for(lock, memory_pause, [this] { return stopping_.load(); });
    } catch (const Stopped&) {
    } catch (const std::exception& error) {
        base::log_failure("a step of a replay failed", error.what());
        Reader& leader = riders_.empty() ? first : *riders_.front();
        if (leader.events_max == 1) leader.failed_at = leader.next;
        leader.events_max = 1;
    }
    for (Reader* rider : riders_) rider->rides = false;
    riders_.clear();
    events_.clear();
}

// The ready readers of its stream that are about there, from the first of them on; the step begins with that one.
void ReplayLane::gather(Reader& first) {
    riders_.assign(1, &first);
    if (kind_ == Kind::apart) return;
    const std::uint64_t before = first.next - std::min<std::uint64_t>(first.next, Reader::events_most);
    for (Reader* reader : ready_) {
        if (riders_.size() == riders_max) break;
        if (reader == &first || reader->stream() != first.stream() || !begin_step(*reader)) continue;
        if (reader->next >= before) riders_.push_back(reader);
    }
    std::sort(riders_.begin(), riders_.end(), [](const Reader* a, const Reader* b) { return a->next < b->next; });
}

store::Slice ReplayLane::read_for(const Reader& first) {
    return context_.log.read(first.log_stream(), first.next, first.events_max, step_bytes);
}

void ReplayLane::serve(Reader& first) {
    gather(first);
    Reader& leader = *riders_.front();
    const store::Slice slice = read_for(leader);
    std::erase_if(riders_, [&](const Reader* rider) { return rider->next > slice.next_id; });
    const auto begun = Clock::now();
    const std::uint64_t next_id = step(slice, leader.failed_at == leader.next);
    const auto took = Clock::now() - begun;
    if (took < short_step) leader.events_max = std::min(2 * leader.events_max, Reader::events_most);
    if (took > long_step) leader.events_max = std::max<std::size_t>(leader.events_max / 2, 1);

    for (Reader* rider : riders_) rider->is_ready = false;
    std::erase_if(ready_, [](const Reader* reader) { return !reader->is_ready; });
    std::vector<Reader*> arrived;
    for (Reader* rider : std::exchange(riders_, {})) {
        rider->rides = false;
        const bool is_at_end = slice.at_end && next_id == slice.next_id && rider->next >= next_id;
        if (rider->next >= rider->end)
            finish(*rider);
        else if (is_at_end)
            arrived.push_back(rider);
        else if (rider->is_lost || rider->subscriber->mailbox.wants_replayed() ||
                 rider->subscriber->mailbox.wants_again())
            make_ready(*rider);  // else its session asks again when it has taken what there is
    }
    if (!arrived.empty()) join(arrived);
}

void ReplayLane::finish(Reader& reader) {
    reader.subscriber->mailbox.finish();
    drop(reader);
}

// Finds the slice's events for the riders and pushes them. Returns up to where.
std::uint64_t ReplayLane::step(const store::Slice& slice, bool gives_up) {
    for (Reader* rider : riders_) rider->rides = true;
    const std::uint64_t next_id = read_events(slice, gives_up);
    if (!events_.empty()) find();
    for (Reader* rider : riders_) push(*rider, slice, next_id);
    events_.clear();
    return next_id;
}

// Reads events whose documents can be parsed, or one that can't. Returns where to read on.
std::uint64_t ReplayLane::read_events(const store::Slice& slice, bool gives_up) {
    events_.clear();
    is_alone_.clear();
    is_damaged_ = false;
    for (const store::KeptEvents& kept : slice.kept) {
        const store::Kept& of = *kept.of;
        feed::DocumentPtr document;
        try {
            if (!gives_up) document = documents_.document(of.record);
        } catch (const StoredDocuments::NoMemory&) {
            if (events_.empty()) throw;
            return kept.events.front().id;
        }
        for (const feed::EventHead& head : kept.events) {
            const auto item = document ? feed::find_item(*document, head.item) : std::nullopt;
            if (!item && !events_.empty()) return head.id;
            events_.push_back(
                {item ? document : nullptr, item.value_or(0), of.stream, head.id, head.time, head.change});
            is_alone_.push_back(of.record->context == feed::RecordContext::item);
            is_damaged_ = !item;
            if (is_damaged_) return head.id + 1;
        }
    }
    return slice.next_id;
}

void ReplayLane::find() {
    ReplayProgram& program = *riders_.front()->program;
    Collected collected;
    placed_.clear();
    if (!is_damaged_) {
        const engine::Program& compiled = program.program();
        matcher_.match(compiled, events_);
        collect(program, matcher_.matches(), GapReason::none, collected);
        collect(program, matcher_.undecided(), GapReason::over_budget, collected);
        count_costs(context_.counters, matcher_, compiled);
        count(context_.counters.events_replayed, events_.size());
    }
    collect_gaps(collected);
    if (placed_.empty()) return;
    collected.withhold_undecided(events_, &rows_);
    collected.sort(events_.size());
    PreparedBatch batch(events_, is_damaged_ ? MatchedValues() : matcher_.values(), std::move(collected),
                        settings_.undecided, &context_.event_memory);
    for (std::size_t s = 0; s < batch.size(); ++s) placed_[s]->found = batch.take(s);
}

bool ReplayLane::takes_part(const Reader& reader, std::uint32_t filter, std::uint32_t event) const {
    const std::uint64_t id = events_[event].id;
    if (id < reader.next || id >= reader.end) return false;
    return !is_alone_[event] || !std::binary_search(reader.beside.begin(), reader.beside.end(), filter);
}

void ReplayLane::collect(const ReplayProgram& program, std::span<const engine::Match> matches, GapReason undecided,
                         Collected& collected) {
    for (const engine::Match& match : matches) {
        for (const ReplayProgram::User& user : program.users(match.subscription)) {
            if (!user.reader->rides) continue;
            for (std::uint32_t bits = match.accepted; bits != 0; bits &= bits - 1) {
                const auto event = match.word * 32 + static_cast<std::uint32_t>(std::countr_zero(bits));
                if (takes_part(*user.reader, user.filter, event))
                    collected.add(place_of(*user.reader, collected), {event, user.filter, undecided});
            }
        }
    }
}

// What can't be decided from what the log has kept.
void ReplayLane::collect_gaps(Collected& collected) {
    for (Reader* rider : riders_) {
        const text::StreamSelection& selection = rider->subscriber->selection();
        const auto add = [&](std::uint32_t event, std::uint32_t filter, GapReason reason) {
            const std::uint64_t id = events_[event].id;
            if (id >= rider->next && id < rider->end && selection.matches(*events_[event].stream))
                collected.add(place_of(*rider, collected), {event, filter, reason});
        };
        const auto filters = static_cast<std::uint32_t>(std::max<std::size_t>(rider->subscriber->filters.size(), 1));
        for (std::uint32_t filter = 0; is_damaged_ && filter < filters; ++filter)
            add(0, filter, GapReason::undelivered);
        for (std::uint32_t event = 0; !is_damaged_ && !rider->beside.empty() && event < events_.size(); ++event) {
            if (!is_alone_[event]) continue;
            for (const std::uint32_t filter : rider->beside) add(event, filter, GapReason::context);
        }
    }
}

std::uint32_t ReplayLane::place_of(Reader& reader, Collected& collected) {
    if (reader.place >= placed_.size() || placed_[reader.place] != &reader) {
        reader.place = collected.add(reader.subscriber);
        placed_.push_back(&reader);
    }
    return reader.place;
}

// Whether events that the log can't read, from where it is up to this one, may be of its streams. A slice passes over
// damage of several streams at once. Where the log doesn't know whose it is, or can't list all of it, it may be theirs.
bool ReplayLane::has_damage_for(const Reader& reader, std::uint64_t last_id) const {
    if (!is_several(reader)) return true;
    const text::StreamSelection& selection = reader.subscriber->selection();
    const std::vector<store::Damage> listed = context_.log.state().damage;
    bool is_listed = false;  // the last one
    for (const store::Damage& damage : listed) {
        if (damage.last_id < reader.next || damage.first_id > last_id) continue;
        const auto is_of_it = [&](const std::string& stream) { return selection.matches(stream); };
        if (damage.streams.empty() || std::any_of(damage.streams.begin(), damage.streams.end(), is_of_it)) return true;
        is_listed |= damage.last_id >= last_id;
    }
    return !is_listed || listed.size() >= store::LogState::damage_max;
}

// Of a stream, what is kept is newer than what was dropped. Of several it may not be, so it is told each time that
// something has been dropped, but not because of streams that are not its own: its user may not see these. Damage
// behind this step is told with the last of it. Returns what it knows of drops once that is pushed; none: nothing new.
//
// Whatever was dropped of its streams, from where it is on, is told before it passes that place, unless it has been
// told, and not gone back since to where it was told: then its mailbox may have thrown the reset away. A step that gets
// nowhere leaves it to the next one, so that going back is seen.
std::optional<store::KnownDrops> ReplayLane::tell_missing(Reader& reader, const store::Slice& slice,
                                                          std::uint64_t next_id) {
    std::uint64_t oldest = slice.oldest_id;
    if (slice.damaged_id >= reader.next && slice.damaged_id < next_id && has_damage_for(reader, slice.damaged_id))
        tell_reset(reader, is_restricted(reader) ? oldest_of(reader) : oldest, true);
    if (slice.dropped_id < reader.next || next_id <= reader.next) return std::nullopt;
    std::optional<store::KnownDrops> told;
    if (reader.stream().empty()) {
        if (reader.next <= reader.told_at) know_first(reader);
        if (reader.next >= reader.looked_at && reader.told.drops == slice.drops) return std::nullopt;
        told.emplace().drops = slice.drops;
    }
    if (is_restricted(reader)) {
        const auto extents = store::selected_extents(context_.log, reader.subscriber->selection());
        told = store::drops_of(extents);
        if (!store::has_dropped_more(extents, reader.told, reader.next)) {
            reader.told.drops = told->drops;
            reader.looked_at = reader.next;
            return std::nullopt;
        }
        oldest = store::united(extents).first_id;
    }
    tell_reset(reader, oldest, false);
    return told;
}

// Of its streams; its user is to learn nothing of others.
std::uint64_t ReplayLane::oldest_of(const Reader& reader) const {
    if (is_restricted(reader)) return store::selected_extent(context_.log, reader.subscriber->selection()).first_id;
    return context_.log.extent(reader.log_stream()).first_id;
}

void ReplayLane::tell_reset(Reader& reader, std::uint64_t oldest_id, bool is_damage) {
    count(context_.counters.resets[is_damage ? ResetReason::damaged : ResetReason::retention]);
    Delivery reset = make_reset(reader, oldest_id, reader.next);
    reset.is_damage = is_damage;
    reset.bytes = reader.subscriber->framer.bytes(reset);
    reader.found.deliveries.insert(reader.found.deliveries.begin(), std::move(reset));
}

// Sets `next` to where the reader is now; to its end if its mailbox wants nothing more.
void ReplayLane::push(Reader& reader, const store::Slice& slice, std::uint64_t next_id) {
    std::optional<store::KnownDrops> told = tell_missing(reader, slice, next_id);
    PreparedBatch::Made found = std::exchange(reader.found, {});
    const DeliveryCounts counts(context_.counters, *reader.subscriber, found.deliveries);
    Mailbox& mailbox = reader.subscriber->mailbox;
    const std::uint64_t to = std::min(std::max(reader.next, next_id), reader.end);
    if (!mailbox.push_replayed(std::move(found.deliveries), reader.next, to)) {
        reader.is_lost = true;
        return;
    }
    if (told) {
        reader.told = std::move(*told);
        reader.told_at = reader.looked_at = reader.next;
    }
    reader.next = to;
    counts.add();
    count(context_.counters.gaps, found.undecided);
    if (!found.end) return;
    count(context_.counters.slow_filters);
    mailbox.finish(std::move(found.end));
    reader.is_lost = true;
}

// They have caught up with the log. From now on their mailboxes accept live events, from the next one on that is
// published; those published until now are read here.
void ReplayLane::join(const std::vector<Reader*>& arrived) {
    for (Reader* reader : arrived) {
        Mailbox& mailbox = reader->subscriber->mailbox;
        mailbox.begin_joining();
        context_.queue.begin_at_next(mailbox.first_id);
        reader->end = mailbox.first_id;
    }
    try {
        for (;;) {
            riders_.clear();
            for (Reader* reader : arrived)
                if (!reader->is_lost && reader->next < reader->end) riders_.push_back(reader);
            if (riders_.empty()) break;
            std::sort(riders_.begin(), riders_.end(),
                      [](const Reader* a, const Reader* b) { return a->next < b->next; });
            const store::Slice slice = read_for(*riders_.front());
            std::erase_if(riders_, [&](const Reader* rider) { return rider->next > slice.next_id; });
            step(slice, false);
            for (Reader* rider : riders_) rider->rides = false;
        }
    } catch (...) {
        for (Reader* reader : arrived) {
            reader->subscriber->mailbox.overflow();
            make_ready(*reader);
        }
        throw;
    }
    for (Reader* reader : arrived) {
        if (reader->subscriber->mailbox.end_joining() && !reader->subscriber->mailbox.wants_again())
            drop(*reader);
        else
            make_ready(*reader);
    }
}

}  // namespace sluice::broker
