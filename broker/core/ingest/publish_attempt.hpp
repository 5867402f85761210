// A publication from the deduplication of its items to the end of its append. Unless it succeeds, its changes to the
// stream are undone and its place in the queue is given up. Used under the stream's lock.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "broker/core/ingest/deduplicator.hpp"
#include "broker/core/ingest/publication.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/core/matching/event_queue.hpp"
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
    // Fills the place with these events.
    void fill_place(const std::vector<feed::EventHead>& events);

    // Its events have been appended and pushed, the first with this id.
    void end_append(std::uint64_t first_id) noexcept;
    // Keeps the remembered items.
    void keep() noexcept { changes_.clear(); }
    // Forgets the items. Later attempts must be taken back first.
    void roll_back() noexcept;

    const Publication& publication() const { return *publication_; }

    PublishResult result;
    PublishDone done;               // empty: nobody waits for the outcome any more
    bool append_has_ended = false;  // or there was nothing to append

private:
    struct Change {
        Deduplicator::Verdict verdict;
        text::Digest previous;
    };

    Change see_item(std::size_t i, feed::RecordTime now);
    feed::EventHead head_of(std::size_t i, Deduplicator::Verdict verdict) const;

    const StreamPtr stream_;
    const std::shared_ptr<const Publication> publication_;
    boost::container::small_vector<Change, 1> changes_;  // most documents have one item
    std::optional<EventQueue::Place> place_;
};

}  // namespace sluice::broker
