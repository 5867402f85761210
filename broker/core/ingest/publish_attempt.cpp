#include "broker/core/ingest/publish_attempt.hpp"

#include <bit>
#include <cstdint>
#include <utility>

#include "gpu/check/check.hpp"
#include "protocol/feed/model/source_range.hpp"

namespace sluice::broker {

PublishAttempt::PublishAttempt(StreamPtr of, std::shared_ptr<const Publication> what, EventQueue::Place place,
                               PublishDone then)
    : done(std::move(then)), stream_(std::move(of)), publication_(std::move(what)), place_(std::move(place)) {
    changes_.reserve(publication_->keys.size());
}

Deduplicator::Verdict PublishAttempt::see_item(std::size_t i, feed::RecordTime now) {
    if (publication_->keys.empty()) return Deduplicator::Verdict::added;
    const PublishedKey& item = publication_->keys[i];
    if (item.is_unique()) {
        changes_.push_back({Deduplicator::Verdict::unchanged, {}});  // nothing to undo
        return Deduplicator::Verdict::added;
    }
    // Without such items the other identity, a digest, would be that of none.
    stream_->any_shared = stream_->any_shared || item.shared != text::Digest{};
    if (known_ != nullptr) return see_known_item(i, now);
    Change change;
    change.verdict = stream_->seen.see(item.key, now, &change.previous);
    changes_.push_back(change);
    const bool is_known = change.verdict == Deduplicator::Verdict::added && stream_->any_shared &&
                          stream_->seen.remembers(other_identity(item), item.key.content);
    return is_known ? Deduplicator::Verdict::unchanged : change.verdict;
}

// Until the append has ended, the store knows nothing of a changed item, so it is held in memory.
Deduplicator::Verdict PublishAttempt::see_known_item(std::size_t i, feed::RecordTime now) {
    const ItemKey& key = publication_->keys[i].key;
    const auto& [same, other, is_pending] = (*known_)[i];
    Change change;
    change.verdict = stream_->seen.see(key, now, &change.previous, same ? &*same : nullptr);
    changes_.push_back(change);
    if (change.verdict != Deduplicator::Verdict::unchanged) {
        stream_->seen.hold(key.identity);
        changes_.back().is_held = holds_ = true;
    }
    const bool is_other = change.verdict == Deduplicator::Verdict::added && other && other->content == key.content;
    const bool is_unchanged = change.verdict == Deduplicator::Verdict::unchanged;
    const bool is_noted = is_other || (is_unchanged && same && day_of(same->seen_at) < day_of(now));
    if (is_noted && !is_pending) noted_.push_back({key.identity, key.content, now});
    return is_other ? Deduplicator::Verdict::unchanged : change.verdict;
}

feed::EventHead PublishAttempt::head_of(std::size_t i, Deduplicator::Verdict verdict) const {
    feed::EventHead event;
    event.change =
        verdict == Deduplicator::Verdict::added ? feed::EventHead::Change::added : feed::EventHead::Change::updated;
    event.item = feed::source_range(*publication_->document, i);
    if (publication_->keys.empty()) return event;
    event.identity = std::bit_cast<feed::RecordDigest>(publication_->keys[i].key.identity);
    event.content = std::bit_cast<feed::RecordDigest>(publication_->keys[i].key.content);
    return event;
}

std::vector<feed::EventHead> PublishAttempt::see(feed::RecordTime now) {
    const std::size_t n = publication_->document->items().size();
    std::vector<feed::EventHead> events;
    result = {};
    result.received = n;
    for (std::size_t i = 0; i < n; ++i) {
        const auto verdict = see_item(i, now);
        if (verdict == Deduplicator::Verdict::unchanged) {
            ++result.unchanged;
            continue;
        }
        ++(verdict == Deduplicator::Verdict::added ? result.added : result.updated);
        if (events.empty()) events.reserve(n - i);
        events.push_back(head_of(i, verdict));
    }
    if (events.empty()) place_.reset();
    return events;
}

std::vector<feed::EventHead> PublishAttempt::see(feed::RecordTime now, const std::vector<KnownItem>& known) {
    known_ = &known;
    return see(now);
}

// Each event keeps its whole document alive, so the delivered events share all of its bytes among them.
void PublishAttempt::fill_place(const std::vector<feed::EventHead>& events) {
    const std::size_t share = (publication_->bytes + events.size() - 1) / events.size();
    QueuedEvents queued = place_->nodes(events.size());
    auto next = queued.begin();
    const feed::DocumentPtr& document = publication_->document;
    std::size_t item = 0;  // the events are those of some items, in order
    for (const feed::EventHead& event : events) {
        while (feed::source_range(*document, item) != event.item) {
            ++item;
            SLUICE_CHECK(item < document->items().size());
        }
        *next++ = {{document, item++, stream_->name, 0, 0, event.change}, share, {}};
    }
    place_->fill(std::move(queued));
}

void PublishAttempt::end_append(std::uint64_t first_id) noexcept {
    append_has_ended = true;
    appending.reset();
    result.first_id = first_id;
    result.last_id = first_id + result.added + result.updated - 1;
    stream_->last_id = result.last_id;
    place_->end();
    place_.reset();
}

void PublishAttempt::keep() noexcept {
    for (std::size_t i = 0; holds_ && i < changes_.size(); ++i)
        if (changes_[i].is_held) stream_->seen.release(publication_->keys[i].key.identity);
    changes_.clear();
}

void PublishAttempt::roll_back() noexcept {
    for (std::size_t i = changes_.size(); i-- > 0;) {
        const auto& [verdict, previous, is_held] = changes_[i];
        const ItemKey& key = publication_->keys[i].key;
        if (is_held) stream_->seen.release(key.identity);
        stream_->seen.undo(key, verdict, previous);
    }
    changes_.clear();
    place_.reset();
}

}  // namespace sluice::broker
