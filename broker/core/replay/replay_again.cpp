// What a lane does for durable subscriptions: finds events in the log that are to be delivered again.
#include <algorithm>

#include "broker/base/log.hpp"
#include "broker/core/delivery/delivery_counts.hpp"
#include "broker/core/replay/replay_lane.hpp"
#include "protocol/feed/model/source_range.hpp"

namespace sluice::broker {

// Finds events that were delivered before. Others that are ready have their turn before it goes on.
void ReplayLane::serve_again(Reader& reader, std::span<const Mailbox::Again> asked) {
    Mailbox& mailbox = reader.subscriber->mailbox;
    ready_.pop_front();
    reader.is_ready = false;
    try {
        find_again(reader, asked, reader.failed_at == asked.front().id);
        reader.again_max = Reader::again_most;
    } catch (const Stopped&) {
        return;
    } catch (const StoredDocuments::NoMemory&) {
        mailbox.ask_again(asked);
        std::unique_lock lock(mutex_);
        requested_.wait_for(lock, memory_pause, [this] { return stopping_.load(); });
    } catch (const std::exception& error) {
        base::log_failure("events can't be delivered again", error.what());
        mailbox.ask_again(asked);
        if (reader.again_max == 1) reader.failed_at = asked.front().id;
        reader.again_max = 1;
    }
    riders_.clear();
    events_.clear();
    reader.rides = false;
    make_ready(reader);
}

void ReplayLane::find_again(Reader& reader, std::span<const Mailbox::Again> asked, bool gives_up) {
    riders_.assign(1, &reader);
    reader.rides = true;
    reader.next = 0;
    reader.end = no_end;
    reader.found = {};
    events_.clear();
    is_alone_.clear();
    is_damaged_ = false;
    std::vector<Found> were;
    for (const Mailbox::Again& each : asked) were.push_back(gives_up ? Found::gone : read_again(each.id));
    if (!events_.empty()) find();
    std::vector<Delivery> made = made_again(reader, asked, were);
    const DeliveryCounts counts(context_.counters, *reader.subscriber, made);
    if (reader.subscriber->mailbox.push_again(std::move(made))) counts.add();
}

// Whichever stream it is of: an event that is there, of a stream that the subscriber does not get any more, is not
// gone.
ReplayLane::Found ReplayLane::read_again(std::uint64_t id) {
    const store::Slice slice = context_.log.read(store::all_streams, id, 1, step_bytes);
    if (slice.erased_id == id) return Found::erased;
    if (slice.kept.empty()) return Found::gone;
    const store::KeptEvents& kept = slice.kept.front();
    const feed::EventHead& head = kept.events.front();
    const feed::DocumentPtr document = head.id == id ? documents_.document(kept.of->record) : nullptr;
    const auto item = document ? feed::find_item(*document, head.item) : std::nullopt;
    if (!item) return Found::gone;
    events_.push_back({document, *item, kept.of->stream, head.id, head.time, head.change});
    is_alone_.push_back(kept.of->record->context == feed::RecordContext::item);
    return Found::present;
}

// What has been found, in the order in which it was asked for, and for each event that has not, that it is withdrawn.
// Gaps follow. That something is gone comes first; of what was erased nothing is said.
std::vector<Delivery> ReplayLane::made_again(Reader& reader, std::span<const Mailbox::Again> asked,
                                             const std::vector<Found>& were) {
    PreparedBatch::Made found = std::exchange(reader.found, {});
    count(context_.counters.gaps, found.undecided);
    std::vector<Delivery> made;
    if (const auto gone = std::find(were.begin(), were.end(), Found::gone); gone != were.end()) {
        count(context_.counters.resets[ResetReason::retention]);
        const std::uint64_t first_id = asked[static_cast<std::size_t>(gone - were.begin())].id;
        made.push_back(make_reset(reader, oldest_of(reader), first_id));
    }
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto is_it = [&](const Delivery& d) {
            return d.kind == Delivery::Kind::event && d.event->id == asked[i].id;
        };
        const auto delivery = std::find_if(found.deliveries.begin(), found.deliveries.end(), is_it);
        if (delivery != found.deliveries.end()) {
            delivery->deliveries = asked[i].deliveries;
            delivery->bytes = reader.subscriber->framer.bytes(*delivery);
            made.push_back(*delivery);
            continue;
        }
        Delivery& withdrawn = made.emplace_back();
        withdrawn.kind = Delivery::Kind::withdrawn;
        withdrawn.reason = were[i] == Found::gone ? GapReason::undelivered : GapReason::none;
        withdrawn.event = context_.event_memory.charged(
            {std::make_shared<const std::string>(reader.log_stream()), asked[i].id, std::string()});
    }
    for (Delivery& delivery : found.deliveries)
        if (delivery.kind == Delivery::Kind::gap) made.push_back(std::move(delivery));
    return made;
}

Delivery ReplayLane::make_reset(const Reader& reader, std::uint64_t oldest_id, std::uint64_t first_id) const {
    Delivery reset;
    reset.kind = Delivery::Kind::reset;
    reset.event = context_.event_memory.charged(
        {std::make_shared<const std::string>(reader.log_stream()), oldest_id, std::string()});
    reset.first_id = first_id;
    reset.bytes = reader.subscriber->framer.bytes(reset);
    return reset;
}

}  // namespace sluice::broker
