#include "broker/core/matching/prepared_batch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "gpu/check/check.hpp"

namespace sluice::broker {

namespace {

constexpr std::size_t charged_at_once = 64u << 10;

std::size_t own_memory(const PreparedBatch::Made& made) {
    std::size_t bytes = sizeof made;
    for (const Delivery& delivery : made.deliveries) bytes += delivery.own_memory();
    return bytes;
}

}  // namespace

PreparedBatch::PreparedBatch(std::span<const feed::Event> events, MatchedValues values, Collected&& collected,
                             config::UndecidedPolicy undecided, EventMemory* memory)
    : events_(events),
      undecided_(undecided),
      memory_(memory),
      collected_(std::move(collected)),
      shared_(events, memory),
      findings_(std::in_place, values) {
    if (memory_ != nullptr) charge_ = memory_->own();
    make_ahead();
}

// A failure concerns one subscriber only. It is reported in the batch's turn, after the deliveries of earlier batches.
void PreparedBatch::make_ahead() {
    const std::size_t bytes_max =
        memory_ == nullptr ? std::numeric_limits<std::size_t>::max() : memory_->own_bytes_max();
    std::size_t found = collected_.memory_bytes(), bytes = 0;
    charge_.force_resize(found);
    made_.reserve(size());
    for (std::size_t s = 0; s < size() && bytes <= bytes_max; ++s) {
        Made& made = made_.emplace_back();
        try {
            // Make nothing for a subscriber that has ended.
            if (subscriber(s).mailbox.state() == Mailbox::State::open) made = make(s);
        } catch (const std::exception&) {
            made.failure = std::current_exception();
        }
        bytes += own_memory(made);
        if (found + bytes > charge_.bytes() + charged_at_once) charge_.force_resize(found + bytes);
    }
    if (made_.size() == size()) {
        findings_.reset();
        collected_.forget_found();
        shared_.forget();
        found = 0;
    }
    charge_.force_resize(found + bytes);
}

PreparedBatch::Made PreparedBatch::take(std::size_t s) {
    SLUICE_CHECK(s < size());
    if (s >= made_.size()) return make(s);
    if (made_[s].failure) std::rethrow_exception(made_[s].failure);
    return std::move(made_[s]);
}

PreparedBatch::Made PreparedBatch::make(std::size_t s) {
    const std::span<const Wanted> wanted = collected_.of(s);
    Made made;
    made.is_wide = collected_.is_wide(wanted);
    made.deliveries.reserve(std::min(wanted.size(), events_.size()));
    GapPlaces gap_of;
    for (auto left = wanted; !left.empty() && !made.end;) {
        const std::span<const Wanted> of_event = of_first_event(left);
        left = left.subspan(of_event.size());
        make_deliveries(subscriber(s), of_event, gap_of, made);
    }
    for (Delivery& delivery : made.deliveries)
        if (delivery.kind == Delivery::Kind::gap) delivery.bytes = subscriber(s).framer.bytes(delivery);
    return made;
}

void PreparedBatch::make_deliveries(const Subscriber& subscriber, std::span<const Wanted> of_event, GapPlaces& gap_of,
                                    Made& made) {
    SLUICE_DEBUG_CHECK(std::is_sorted(of_event.begin(), of_event.end()));
    filters_.clear();
    std::size_t i = 0;
    for (; i < of_event.size() && of_event[i].undecided == GapReason::none; ++i) filters_.push_back(of_event[i].filter);
    const std::size_t first_undecided = i;
    const bool ends = undecided_ != config::UndecidedPolicy::gap;
    for (; ends && i < of_event.size() && !made.end; ++i) {
        if (of_event[i].undecided != GapReason::over_budget || !is_gap(of_event, i)) continue;
        const feed::Event& event = events_[of_event[i].event];
        made.end = EndReason{EndReason::Kind::slow_filter, of_event[i].filter, event.stream, event.id};
    }
    if (made.end) return;  // events before this one are still delivered
    if (!filters_.empty()) {
        made.deliveries.push_back(make_event(subscriber, of_event[0].event));
        gap_of.clear();
    }
    for (i = first_undecided; i < of_event.size(); ++i) {
        if (!is_gap(of_event, i)) continue;
        ++made.undecided;
        add_gap(of_event[i], made.deliveries, gap_of);
    }
}

Delivery PreparedBatch::make_event(const Subscriber& subscriber, std::uint32_t event) {
    Delivery delivery;
    delivery.event = shared_.with_body(event, subscriber.framer.format);
    if (subscriber.annotator)
        delivery.annotations = subscriber.annotator->annotate(events_[event], event, filters_, *findings_);
    if (subscriber.tells_filters) delivery.filters = filters_;
    if (delivery.event->id <= subscriber.delivered_before) delivery.deliveries = 2;
    delivery.bytes = subscriber.framer.bytes(delivery);
    return delivery;
}

// Extends the filter's last gap in the event's stream, if no event has been delivered since.
void PreparedBatch::add_gap(Wanted wanted, std::vector<Delivery>& made, GapPlaces& gap_of) {
    const SharedEventPtr& event = shared_.without_body(wanted.event);
    if (gap_of.size() <= wanted.filter) gap_of.resize(wanted.filter + 1, 0);
    std::size_t& number = gap_of[wanted.filter];  // counted from 1
    if (number == 0 || made[number - 1].reason != wanted.undecided ||
        *made[number - 1].event->stream != *event->stream) {
        Delivery& gap = made.emplace_back();
        gap.kind = Delivery::Kind::gap;
        gap.reason = wanted.undecided;
        gap.first_id = event->id;
        gap.filters = {wanted.filter};
        number = made.size();
    }
    made[number - 1].event = event;
    ++made[number - 1].gap_events;
}

}  // namespace sluice::broker
