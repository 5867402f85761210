#include "broker/core/matching/stream_lanes.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::broker {

namespace {

constexpr std::size_t idle_streams_max = 1'024;  // if there are this many, idle ones are forgotten
constexpr std::size_t turns_per_batch = 4;       // streams that share a batch, if that many have enough events

}  // namespace

StreamQueue& StreamLanes::stream_of(std::string_view stream) {
    if (const auto found = streams_.find(stream); found != streams_.end()) return *found->second;
    if (streams_.size() >= idle_streams_max) forget_idle();
    auto queue = std::make_unique<StreamQueue>(std::make_shared<const std::string>(stream));
    const std::string_view name = *queue->name;
    return *streams_.emplace(name, std::move(queue)).first->second;
}

StreamQueue* StreamLanes::find(std::string_view stream) const {
    const auto found = streams_.find(stream);
    return found == streams_.end() ? nullptr : found->second.get();
}

Reservations::iterator StreamLanes::reserve(StreamQueue& stream, Reservations& made) noexcept {
    const auto reservation = made.begin();
    stream.reserved_events += reservation->events;
    stream.reserved_bytes += reservation->bytes;
    reserved_events_ += reservation->events;
    reserved_bytes_ += reservation->bytes;
    stream.reservations.splice(stream.reservations.end(), made);
    return reservation;
}

void StreamLanes::reduce(StreamQueue& stream, Reservation& reservation, std::size_t events) noexcept {
    SLUICE_CHECK(events <= reservation.events && reservation.events <= stream.reserved_events);
    SLUICE_CHECK(stream.reserved_events <= reserved_events_);
    reservation.events -= events;
    stream.reserved_events -= events;
    reserved_events_ -= events;
}

void StreamLanes::release(StreamQueue& stream, Reservations::iterator reservation, Reservations& to) noexcept {
    SLUICE_CHECK(reservation->bytes <= stream.reserved_bytes && stream.reserved_bytes <= reserved_bytes_);
    stream.reserved_bytes -= reservation->bytes;
    reserved_bytes_ -= reservation->bytes;
    reduce(stream, *reservation, reservation->events);
    to.splice(to.end(), stream.reservations, reservation);
}

bool StreamLanes::release(StreamQueue& stream, const feed::Document& document, Reservations& to) noexcept {
    auto& all = stream.reservations;
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.document == &document; });
    if (found == all.end()) return false;
    release(stream, found, to);
    return true;
}

void StreamLanes::forget_idle() {
    const auto now = Clock::now();
    std::erase_if(streams_, [&](const auto& entry) {
        const StreamQueue& stream = *entry.second;
        return stream.is_idle() && now >= stream.slow_until;
    });
}

void StreamLanes::make_ready(StreamQueue& stream) {
    if (stream.ready || stream.events() == 0 || (stream.slow && stream.fast_batches != 0)) return;
    (stream.slow ? slow_ready_ : ready_).push_back(stream);
}

void StreamLanes::make_slow(StreamQueue& stream) {
    stream.slow_until = Clock::now() + slow_for;
    if (stream.slow) return;
    stream.slow_events_max = 1;
    if (stream.ready) ready_.remove(stream);
    SLUICE_CHECK(stream.events() <= fast_events_);
    fast_events_ -= stream.events();
    stream.slow = true;
}

void StreamLanes::push(StreamQueue& stream, QueuedEvents& events) noexcept {
    SLUICE_CHECK(!events.empty());
    const auto now = Clock::now();
    for (QueuedEvent& event : events) event.queued_at = now;
    const bool is_idle = stream.events() == 0 && !stream.in_flight();
    if (is_idle && now >= stream.slow_until) stream.slow = false;
    const bool is_large = events.front().bytes >= batch_bytes_max;
    const std::size_t n = events.size(), bytes_before = stream.bytes;
    stream.push(events);
    bytes_ += stream.bytes - bytes_before;
    events_ += n;
    if (!stream.slow) fast_events_ += n;
    if (is_large) make_slow(stream);
    make_ready(stream);
}

void StreamLanes::take(StreamQueue& stream, std::size_t events_max, QueuedBatch& batch, std::size_t& batch_bytes) {
    const std::uint32_t part = batch.find_part(stream);
    if (part == batch.parts.size()) {
        stream.decided_id = stream.decided_up_to(0);
        batch.parts.push_back({&stream, stream.next_ticket++, false});
        if (batch.lane == Lane::fast) ++stream.fast_batches;
    }
    for (std::size_t n = 0; n < events_max && stream.events() != 0 && batch_bytes < batch_bytes_max; ++n) {
        QueuedEvent& queued = stream.pop_to(batch.nodes);
        batch_bytes += queued.bytes;
        batch.add(queued, part);
    }
}

void StreamLanes::fill(QueuedBatch& batch, std::size_t events_max) {
    const bool is_fast = batch.lane == Lane::fast;
    ReadyStreams& ready = is_fast ? ready_ : slow_ready_;
    std::size_t batch_bytes = 0;
    while (!ready.empty() && batch.events.size() < events_max && batch_bytes < batch_bytes_max) {
        StreamQueue& stream = ready.pop_front();
        const std::size_t left = events_max - batch.events.size();
        const bool shares = is_fast && !ready.empty();
        const std::size_t of_stream = shares    ? std::max<std::size_t>(1, events_max / turns_per_batch)
                                      : is_fast ? left
                                                : stream.slow_events_max;
        take(stream, std::min(left, of_stream), batch, batch_bytes);
        make_ready(stream);
        if (!is_fast) break;
    }
    SLUICE_CHECK(batch.events.size() <= events_ && batch_bytes <= bytes_);
    SLUICE_CHECK(!is_fast || batch.events.size() <= fast_events_);
    events_ -= batch.events.size();
    bytes_ -= batch_bytes;
    if (is_fast) fast_events_ -= batch.events.size();
}

void StreamLanes::return_events(QueuedBatch& batch) noexcept {
    const auto now = Clock::now();
    for (std::uint32_t p = 0; p < batch.parts.size(); ++p) {
        if (!batch.parts[p].hand_over) continue;
        StreamQueue& stream = *batch.parts[p].stream;
        make_slow(stream);
        QueuedEvents returned;
        for (std::size_t e = 0; e < batch.events.size(); ++e) {
            if (batch.part_of[e] != p) continue;
            const auto node = batch.nodes.begin();
            *node = {std::move(batch.events[e]), batch.bytes[e], now};
            returned.splice(returned.end(), batch.nodes, node);
        }
        events_ += returned.size();
        const std::size_t bytes_before = stream.bytes;
        stream.give_back(returned);
        bytes_ += stream.bytes - bytes_before;
    }
}

// As many events as take a turn's time, but at most twice as many as last time: events differ.
std::size_t StreamLanes::next_slow_events(std::size_t events, std::chrono::nanoseconds work) {
    const auto ns = std::max<std::int64_t>(1, work.count() / static_cast<std::int64_t>(events));
    const auto fitting = static_cast<std::size_t>(std::chrono::nanoseconds(slow_turn).count() / ns);
    return std::clamp<std::size_t>(fitting, 1, 2 * events);
}

// What is not handed over has been delivered.
void StreamLanes::note_decided(QueuedBatch& batch) noexcept {
    for (std::size_t e = 0; e < batch.events.size(); ++e) {
        const QueuedBatch::Part& part = batch.parts[batch.part_of[e]];
        if (!part.hand_over) part.stream->decided_id = batch.events[e].id;
    }
}

// Of a stream whose later batches are unfinished, too, only the events of `with` are known to be delivered.
std::uint64_t StreamLanes::decided_up_to(std::uint64_t last_id, const QueuedBatch* with) const {
    std::uint64_t id = last_id;
    for (const auto& [name, stream] : streams_) {
        const bool is_in = with != nullptr && with->find_part(*stream) != with->parts.size();
        if (!is_in) id = std::min(id, stream->decided_up_to(last_id));
    }
    if (with == nullptr) return id;
    for (std::uint32_t p = 0; p < with->parts.size(); ++p) {
        const StreamQueue& stream = *with->parts[p].stream;
        if (stream.events() != 0) id = std::min(id, stream.front().event.id - 1);
        if (stream.next_ticket == with->parts[p].ticket + 1) continue;
        std::uint64_t last = 0;
        for (std::size_t e = 0; e < with->events.size(); ++e)
            if (with->part_of[e] == p) last = with->events[e].id;
        id = std::min(id, last);
    }
    return id;
}

void StreamLanes::finish(QueuedBatch& batch, bool took_long, std::chrono::nanoseconds work) noexcept {
    note_decided(batch);
    if (batch.lane == Lane::fast)
        return_events(batch);
    else if (!batch.parts.empty())
        batch.parts.front().stream->slow_events_max = next_slow_events(batch.events.size(), work);
    for (const QueuedBatch::Part& part : batch.parts) {
        StreamQueue& stream = *part.stream;
        SLUICE_CHECK(stream.finished_tickets == part.ticket);
        SLUICE_CHECK(batch.lane == Lane::slow || stream.fast_batches != 0);
        ++stream.finished_tickets;
        if (batch.lane == Lane::fast) --stream.fast_batches;
        make_ready(stream);
        if (!stream.is_idle()) continue;
        SLUICE_CHECK(stream.bytes == 0 && stream.reserved_events == 0 && stream.reserved_bytes == 0);
        SLUICE_CHECK(!stream.ready && stream.fast_batches == 0);
    }
    if (took_long && !batch.parts.empty()) {
        StreamQueue& stream = batch.largest_stream();
        make_slow(stream);
        make_ready(stream);
    }
}

std::size_t StreamLanes::clear(const std::function<void(const std::string&)>& dropped) {
    for (auto& [name, stream] : streams_) {
        if (stream->events() != 0 && dropped) dropped(*stream->name);
        stream->clear();
    }
    ready_.clear();
    slow_ready_.clear();
    fast_events_ = bytes_ = 0;
    return std::exchange(events_, 0);
}

std::size_t StreamLanes::slow_streams() const {
    const auto now = Clock::now();
    return static_cast<std::size_t>(std::count_if(streams_.begin(), streams_.end(), [now](const auto& entry) {
        const StreamQueue& stream = *entry.second;
        return stream.slow && (!stream.is_idle() || now < stream.slow_until);
    }));
}

}  // namespace sluice::broker
