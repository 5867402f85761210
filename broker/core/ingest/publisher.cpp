#include "broker/core/ingest/publisher.hpp"

#include <utility>
#include <vector>

#include "broker/base/log.hpp"
#include "broker/core/ingest/kept_items.hpp"
#include "broker/core/ingest/publish_attempt.hpp"

namespace sluice::broker {

namespace {

PublishRefusal refusal_of(store::AppendError error) {
    switch (error) {
        case store::AppendError::no_memory:
            return PublishRefusal::no_memory;
        case store::AppendError::no_space:
            return PublishRefusal::no_space;
        case store::AppendError::unknown:
            break;
    }
    return PublishRefusal::unavailable;
}

store::Appends append_of(const Stream& stream, const Publication& publication, std::vector<feed::EventHead> events) {
    store::Appends appends;
    auto items = items_to_keep(publication, events, stream.options->context);
    appends.push_back({stream.name, publication.record, std::move(events), publication.document, std::move(items)});
    return appends;
}

store::Attempt attempt_of(const PublishAttempt& attempt) {
    const Publication& publication = attempt.publication();
    store::Attempt made(publication.attempt ? *publication.attempt : store::random_attempt_id());
    if (!publication.reply) return made;
    const PublishResult& result = attempt.result;
    const auto reply = std::make_shared<store::StoredReply>(*publication.reply);
    reply->received = result.received;
    reply->added = result.added;
    reply->updated = result.updated;
    reply->unchanged = result.unchanged;
    made.reply = reply;
    return made;
}

}  // namespace

Publisher::Publisher(Streams::Settings settings, EventQueue& queue, store::EventLog& log, Counters& counters,
                     base::MemoryBudget& memory, store::WallClock clock)
    : queue_(queue),
      log_(log),
      durable_(log.durable_state()),
      counters_(counters),
      clock_(std::move(clock)),
      streams_(std::move(settings), log, memory, counters.streams) {}

std::optional<Publisher::Outcome> Publisher::publish(const std::shared_ptr<const Publication>& publication, Done done,
                                                     const StoredItems* found, EventQueue::Wake wake) {
    const feed::Document& document = *publication->document;
    auto place = queue_.reserve(publication->stream, document, document.items().size(), publication->bytes, wake);
    if (!place) return queue_.is_closed() ? PublishRefusal::closed : PublishRefusal::no_room;
    for (StreamPtr stream = publication->known_stream;; stream = nullptr) {
        if (stream == nullptr) {
            const auto of_name = streams_.find_or_create(publication->stream, publication->may_begin_stream);
            if (!of_name) return of_name.error();
            stream = *of_name;
        }
        const std::lock_guard lock(stream->mutex);
        if (stream->gone) continue;
        if (durable_ != nullptr && !StoredItems::suffice(*stream, *publication, found))
            return PublishRefusal::not_looked_up;
        if (completes_at_once()) {
            PublishAttempt attempt(stream, publication, std::move(*place), nullptr);
            return publish_at_once(*stream, attempt, found);
        }
        return publish_locked(
            stream, std::make_shared<PublishAttempt>(stream, publication, std::move(*place), std::move(done)), found);
    }
}

// While the log has failed, it does not know what it has.
boost::system::result<StoredItems, PublishRefusal> Publisher::look_up(const Publication& publication) {
    const auto condition = log_.state().condition;
    if (condition == store::LogState::Condition::failed) return PublishRefusal::unavailable;
    if (condition == store::LogState::Condition::full) return PublishRefusal::no_space;
    const auto stream = streams_.find_or_create(publication.stream, publication.may_begin_stream);
    if (!stream) return stream.error();
    std::optional<StoredItems> found;
    {
        const std::lock_guard lock((*stream)->mutex);
        found.emplace(*stream, publication, clock_());
    }
    found->find(publication, *durable_);
    return std::move(*found);
}

// The events of new and changed items, which are remembered now.
std::vector<feed::EventHead> Publisher::see(Stream& stream, PublishAttempt& attempt, const StoredItems* found) {
    const StageTimer timer(counters_.stages, Stage::deduplicate);
    const feed::RecordTime now = clock_();
    if (durable_ != nullptr) return see_stored(stream, attempt, found, now);
    stream.seen.forget_before(now - stream.window.load().count());
    const std::uint64_t forgotten_before = stream.seen.forgotten();
    std::vector<feed::EventHead> events = attempt.see(now);
    if (const std::uint64_t forgotten = stream.seen.forgotten() - forgotten_before; forgotten != 0) {
        count(counters_.items_forgotten, forgotten);
        base::log_warn("items are forgotten for lack of room, and delivered again if they are posted again",
                       {{"stream", *stream.name}, {"items", forgotten}, {"remembered", stream.seen.size()}});
    }
    return events;
}

// Items that are forgotten for lack of room remain in the store.
std::vector<feed::EventHead> Publisher::see_stored(Stream& stream, PublishAttempt& attempt, const StoredItems* found,
                                                   feed::RecordTime now) {
    const feed::RecordTime oldest = now - stream.window.load().count();
    stream.seen.forget_before(oldest);
    auto events = attempt.see(now, StoredItems::known(stream, attempt.publication(), found, oldest));
    if (auto noted = attempt.take_noted(); !noted.empty()) durable_->note_seen(*stream.name, std::move(noted));
    return events;
}

// With a log that needs nobody to wait for it. No other attempt is under way then.
Publisher::Outcome Publisher::publish_at_once(Stream& stream, PublishAttempt& attempt, const StoredItems* found) {
    std::vector<feed::EventHead> events = see(stream, attempt, found);
    if (events.empty()) return finish(stream, attempt);
    attempt.fill_place(events);
    attempt.appending.emplace(counters_.stages, Stage::append);
    const store::AppendResult result =
        log_.append(attempt_of(attempt), append_of(stream, attempt.publication(), std::move(events)), nullptr).value();
    if (result.error) {
        attempt.roll_back();
        return refuse(stream, *result.error);
    }
    attempt.end_append(result.first_ids.front());
    return finish(stream, attempt);
}

std::optional<Publisher::Outcome> Publisher::publish_locked(const StreamPtr& stream,
                                                            const std::shared_ptr<PublishAttempt>& attempt,
                                                            const StoredItems* found) {
    std::vector<feed::EventHead> events = see(*stream, *attempt, found);
    if (events.empty()) {
        if (stream->under_way.empty()) return finish(*stream, *attempt);
        attempt->append_has_ended = true;
        stream->under_way.push_back(attempt);
        return std::nullopt;
    }
    attempt->fill_place(events);
    stream->under_way.push_back(attempt);
    attempt->appending.emplace(counters_.stages, Stage::append);
    std::optional<store::AppendResult> result;
    try {
        result = log_.append(
            attempt_of(*attempt), append_of(*stream, attempt->publication(), std::move(events)),
            [this, stream, attempt](const store::AppendResult& later) { settle(*stream, *attempt, later); });
    } catch (...) {
        stream->under_way.pop_back();
        throw;
    }
    if (!result) return std::nullopt;
    // Attempts that began earlier have ended earlier, so this is the last one.
    stream->under_way.pop_back();
    if (result->error) {
        attempt->roll_back();
        return refuse(*stream, *result->error);
    }
    attempt->end_append(result->first_ids.front());
    return finish(*stream, *attempt);
}

// For attempts that have been rolled back. What a store has of an append that failed like this is not known.
PublishRefusal Publisher::refuse(Stream& stream, store::AppendError error) {
    if (durable_ != nullptr && error == store::AppendError::unknown) stream.seen.forget_all();
    return refusal_of(error);
}

// Completes a successful attempt.
Publisher::Outcome Publisher::finish(Stream& stream, PublishAttempt& attempt) {
    const PublishResult& result = attempt.result;
    const std::size_t events = result.added + result.updated;
    attempt.keep();
    stream.note_published(events != 0);
    count(counters_.documents);
    count(counters_.events, events);
    stream.counts->events.add(events);
    count(counters_.events_unchanged, result.unchanged);
    return result;
}

// Handles the result of an asynchronous append. Calls the callbacks after releasing the lock.
void Publisher::settle(Stream& stream, PublishAttempt& attempt, const store::AppendResult& result) {
    std::vector<std::pair<Done, Outcome>> told;
    {
        const std::lock_guard lock(stream.mutex);
        if (attempt.append_has_ended) return;  // it failed together with an earlier append
        auto& under_way = stream.under_way;
        told.reserve(under_way.size());
        if (result.error) {
            // The log fails all of them. Undo the last one first, since each builds on the one before.
            for (auto each = under_way.rbegin(); each != under_way.rend(); ++each) (*each)->roll_back();
            const PublishRefusal refusal = refuse(stream, *result.error);
            for (const auto& each : under_way) {
                each->append_has_ended = true;
                told.emplace_back(std::move(each->done), refusal);
            }
            under_way.clear();
        } else {
            attempt.end_append(result.first_ids.front());
        }
        while (!under_way.empty() && under_way.front()->append_has_ended) {
            const auto first = std::move(under_way.front());
            under_way.pop_front();
            told.emplace_back(std::move(first->done), finish(stream, *first));
        }
    }
    for (const auto& [done, outcome] : told) done(outcome);
}

}  // namespace sluice::broker
