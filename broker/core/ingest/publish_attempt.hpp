// A publication from the deduplication of its items to the end of its append. Its changes to the stream are undone
// unless it succeeds. Used under the stream's lock.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "broker/core/ingest/deduplicator.hpp"
#include "broker/core/ingest/publication.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::broker {

class PublishAttempt {
public:
    PublishAttempt(StreamPtr of, std::shared_ptr<const Publication> what, PublishDone then);
    ~PublishAttempt() { roll_back(); }
    PublishAttempt(const PublishAttempt&) = delete;
    PublishAttempt& operator=(const PublishAttempt&) = delete;

    // The new and changed items: their indices and records.
    struct Seen {
        std::vector<std::size_t> items;
        std::vector<feed::EventRecord> records;
    };
    // Remembers the items and counts them in `result`.
    Seen see(Deduplicator::Clock::time_point now);

    // Keeps the remembered items, or forgets them. Later attempts must be taken back first.
    void keep() noexcept { changes_.clear(); }
    void roll_back() noexcept;

    const Publication& publication() const { return *publication_; }

    PublishResult result;
    PublishDone done;                                  // empty: nobody waits for the outcome any more
    std::optional<store::AppendResult> append_result;  // none: in progress
    bool waits_for_others = false;                     // it has nothing to append

private:
    struct Change {
        Deduplicator::Verdict verdict;
        text::Digest previous;
    };

    Change see_item(std::size_t i, Deduplicator::Clock::time_point now);
    feed::EventRecord record_of(std::size_t i, Deduplicator::Verdict verdict) const;

    const StreamPtr stream_;
    const std::shared_ptr<const Publication> publication_;
    std::vector<Change> changes_;
};

}  // namespace sluice::broker
