// A publication from the deduplication of its items to the end of its append. Unless it succeeds, its changes to the
// stream are undone and its place in the queue is given up. Used under the stream's lock.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "broker/core/ingest/deduplicator.hpp"
#include "broker/core/ingest/publication.hpp"
#include "broker/core/ingest/stored_items.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/core/matching/event_queue.hpp"
#include "broker/core/stages.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::broker {

class PublishAttempt {
public:
    PublishAttempt(StreamPtr of, std::shared_ptr<const Publication> what, EventQueue::Place place, PublishDone then);
    ~PublishAttempt() { roll_back(); }
    PublishAttempt(const PublishAttempt&) = delete;
    PublishAttempt& operator=(const PublishAttempt&) = delete;

    // Remembers the items and counts them in `result`. Returns an event for each new or changed one; without any, the
    // attempt needs no place.
    std::vector<feed::EventHead> see(feed::RecordTime now);
    // The same where a store keeps the items, of which these are known.
    std::vector<feed::EventHead> see(feed::RecordTime now, const std::vector<KnownItem>& known);
    // The known items that the store should note as seen now: it does so once a day.
    std::vector<store::SeenItem> take_noted() { return std::move(noted_); }
    // Fills the place with these events.
    void fill_place(const std::vector<feed::EventHead>& events);

    // Its events have been appended and pushed, the first with this id.
    void end_append(std::uint64_t first_id) noexcept;
    // Keeps the remembered items.
    void keep() noexcept;
    // Forgets the items. Later attempts must be taken back first.
    void roll_back() noexcept;

    const Publication& publication() const { return *publication_; }

    PublishResult result;
    PublishDone done;  // empty: nobody waits for the outcome any more
    std::optional<StageTimer> appending{};
    bool append_has_ended = false;  // or there was nothing to append

private:
    struct Change {
        Deduplicator::Verdict verdict;
        text::Digest previous;
        bool is_held = false;  // in the stream's memory
    };

    Deduplicator::Verdict see_item(std::size_t i, feed::RecordTime now);
    Deduplicator::Verdict see_known_item(std::size_t i, feed::RecordTime now);
    feed::EventHead head_of(std::size_t i, Deduplicator::Verdict verdict) const;

    const StreamPtr stream_;
    const std::shared_ptr<const Publication> publication_;
    boost::container::small_vector<Change, 1> changes_;  // most documents have one item
    std::optional<EventQueue::Place> place_;
    const std::vector<KnownItem>* known_ = nullptr;  // null: none but the stream's memory keeps the items
    bool holds_ = false;                             // items of it are held
    std::vector<store::SeenItem> noted_;
};

}  // namespace sluice::broker
