// What a store on disk knows of those items of a publication that its stream does not remember in memory. It is looked
// up before the publication gets the stream's lock, since that waits for the disk, and used under it, if nothing was
// lost in between that was published after the look-up.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "broker/core/ingest/deduplicator.hpp"
#include "broker/core/ingest/publication.hpp"
#include "broker/core/ingest/streams.hpp"
#include "broker/store/durable_state.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::broker {

struct KnownItem {
    std::optional<Deduplicator::Known> same{}, other{};  // by its identity; without that, by other_identity()
    bool is_pending = false;                             // the append that makes it known is in progress
};

class StoredItems {
public:
    // Chooses the items to look up, under the stream's lock.
    StoredItems(StreamPtr stream, const Publication& publication, feed::RecordTime now);
    // Looks them up, without the lock. Waits for the disk.
    void find(const Publication& publication, store::DurableState& store);

    // Whether the stream's memory, or `found` with it, says all there is to know of the publication's items. Call under
    // the stream's lock. `found`: none has been looked up if it is null.
    static bool suffice(const Stream& stream, const Publication& publication, const StoredItems* found);

    // What was known of each item when the publication got the lock, in memory or by `found`; what was last seen before
    // `oldest` is not. Only where these suffice.
    static std::vector<KnownItem> known(const Stream& stream, const Publication& publication, const StoredItems* found,
                                        feed::RecordTime oldest);

private:
    struct Item {
        bool is_looked_up = false;
        text::Digest other_identity{};
        std::optional<store::SeenItem> same{}, other{};
    };

    static const StoredItems* if_valid(const StoredItems* found, const Stream& stream, const Publication& publication);

    StreamPtr stream_;
    Deduplicator::Mark mark_;
    bool has_others_ = false;  // the other identities are looked up, too
    std::vector<Item> items_;
};

// The UTC day of a time.
constexpr feed::RecordTime day_us = 86'400'000'000;
inline feed::RecordTime day_of(feed::RecordTime time) { return time / day_us; }

}  // namespace sluice::broker
