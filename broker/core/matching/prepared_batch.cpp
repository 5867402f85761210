#include "broker/core/matching/prepared_batch.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sluice::broker {

namespace {

constexpr std::size_t charged_at_once = 64u << 10;

std::size_t own_memory(const PreparedBatch::Made& made) {
    std::size_t bytes = sizeof made;
    for (const Delivery& delivery : made.deliveries) bytes += delivery.own_memory();
    return bytes;
}

}  // namespace

PreparedBatch::PreparedBatch(std::span<const feed::Event> events, Collected collected,
                             config::UndecidedPolicy undecided, EventMemory* memory)
    : events_(events),
      undecided_(undecided),
      memory_(memory),
      collected_(std::move(collected)),
      shared_(events, memory) {
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
        Made made;
        try {
            // Make nothing for a subscriber that has ended.
            if (subscriber(s).mailbox.state() == Mailbox::State::open) made = make(s);
        } catch (const std::exception&) {
            made.failure = std::current_exception();
        }
        bytes += own_memory(made);
        if (found + bytes > charge_.bytes() + charged_at_once) charge_.force_resize(found + bytes);
        made_.push_back(std::move(made));
    }
    if (made_.size() == size()) {
        alignments_ = {};
        series_ = {};
        collected_.forget_found();
        shared_.forget();
        found = 0;
    }
    charge_.force_resize(found + bytes);
}

PreparedBatch::Made PreparedBatch::take(std::size_t s) {
    if (s >= made_.size()) return make(s);
    if (made_[s].failure) std::rethrow_exception(made_[s].failure);
    return std::move(made_[s]);
}

PreparedBatch::Made PreparedBatch::make(std::size_t s) {
    std::span<const Wanted> wanted = collected_.of(s);
    Made made;
    made.is_wide = collected_.is_wide(wanted);
    for (std::size_t i = 0; i < wanted.size() && !made.end; ++i) {
        if (!is_gap(wanted, i)) continue;
        if (undecided_ == config::UndecidedPolicy::gap) {
            ++made.undecided;
            continue;
        }
        const feed::Event& event = events_[wanted[i].event];
        made.end = EndReason{EndReason::Kind::slow_filter, wanted[i].filter, event.stream, event.id};
        // Events before this one are still delivered.
        wanted = wanted.first(static_cast<std::size_t>(
            std::lower_bound(wanted.begin(), wanted.end(), Wanted{wanted[i].event, 0, false}) - wanted.begin()));
    }
    make_deliveries(subscriber(s), wanted, made.deliveries);
    return made;
}

void PreparedBatch::make_deliveries(const Subscriber& subscriber, std::span<const Wanted> wanted,
                                    std::vector<Delivery>& made) {
    made.reserve(wanted.size());
    std::vector<std::uint32_t> filters;
    for (std::size_t i = 0; i < wanted.size();) {
        const std::uint32_t event = wanted[i].event;
        filters.clear();
        for (; i < wanted.size() && wanted[i].event == event && !wanted[i].undecided; ++i)
            filters.push_back(wanted[i].filter);
        if (!filters.empty()) made.push_back(make_event(subscriber, event, filters));
        for (; i < wanted.size() && wanted[i].event == event; ++i)
            if (is_gap(wanted, i)) add_gap(subscriber, wanted[i], made);
    }
}

Delivery PreparedBatch::make_event(const Subscriber& subscriber, std::uint32_t event,
                                   const std::vector<std::uint32_t>& filters) {
    Delivery delivery;
    delivery.event = shared_.with_text(event, subscriber.renderer);
    if (subscriber.annotator)
        delivery.annotations =
            ",\"alignments\":" + subscriber.annotator->alignments(events_[event], event, filters, alignments_);
    if (subscriber.estimates) {
        const auto estimated = subscriber.estimates->conditions(events_[event], event, filters, series_);
        if (!estimated.empty()) delivery.annotations += ",\"estimated\":" + estimated_json(estimated);
    }
    if (subscriber.tells_filters) delivery.filters = filters;
    delivery.bytes = subscriber.renderer.bytes(delivery);
    return delivery;
}

// Extends the filter's gap that ends just before the event, if no other event has been delivered since.
void PreparedBatch::add_gap(const Subscriber& subscriber, Wanted wanted, std::vector<Delivery>& made) {
    const SharedEventPtr& event = shared_.without_text(wanted.event);
    const auto other = std::find_if(made.rbegin(), made.rend(),
                                    [](const Delivery& delivery) { return delivery.kind != Delivery::Kind::gap; });
    const auto before = std::find_if(made.rbegin(), other, [&](const Delivery& gap) {
        return gap.filters.front() == wanted.filter && gap.event->id + 1 == event->id &&
               *gap.event->stream == *event->stream;
    });
    Delivery* gap = before == other ? nullptr : &*before;
    if (gap == nullptr) {
        gap = &made.emplace_back();
        gap->kind = Delivery::Kind::gap;
        gap->first_id = event->id;
        gap->filters = {wanted.filter};
    }
    gap->event = event;
    gap->bytes = subscriber.renderer.bytes(*gap);
}

}  // namespace sluice::broker
