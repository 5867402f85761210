#include "broker/core/ingest/stored_items.hpp"

#include <algorithm>
#include <utility>

namespace sluice::broker {

namespace {

// Whether an item may be known by its other identity.
bool may_share(const Stream& stream, const Publication& publication) {
    return stream.any_shared || std::any_of(publication.keys.begin(), publication.keys.end(),
                                            [](const PublishedKey& item) { return item.shared != text::Digest{}; });
}

bool is_in_memory(const Stream& stream, const PublishedKey& item) {
    return item.is_unique() || stream.seen.find(item.key.identity).has_value();
}

// A store knows times to a day only: it may have been seen until that day's end.
std::optional<Deduplicator::Known> unless_older(const std::optional<store::SeenItem>& item, feed::RecordTime oldest) {
    if (!item || (day_of(item->seen_at) + 1) * day_us <= oldest) return std::nullopt;
    return Deduplicator::Known{item->content, item->seen_at};
}

}  // namespace

StoredItems::StoredItems(StreamPtr stream, const Publication& publication, feed::RecordTime now)
    : stream_(std::move(stream)),
      mark_(stream_->seen.mark(now)),
      has_others_(may_share(*stream_, publication)),
      items_(publication.keys.size()) {
    for (std::size_t i = 0; i < items_.size(); ++i)
        items_[i].is_looked_up = !is_in_memory(*stream_, publication.keys[i]);
}

void StoredItems::find(const Publication& publication, store::DurableState& store) {
    std::vector<text::Digest> identities;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        if (!items_[i].is_looked_up) continue;
        identities.push_back(publication.keys[i].key.identity);
        if (!has_others_) continue;
        items_[i].other_identity = other_identity(publication.keys[i]);
        identities.push_back(items_[i].other_identity);
    }
    if (identities.empty()) return;
    const auto found = store.find_seen(*stream_->name, identities);
    auto next = found.begin();
    for (Item& item : items_) {
        if (!item.is_looked_up) continue;
        item.same = *next++;
        if (has_others_) item.other = *next++;
    }
}

// The stream may have been deleted since the look-up, and another one may have its name.
const StoredItems* StoredItems::if_valid(const StoredItems* found, const Stream& stream,
                                         const Publication& publication) {
    const bool is_valid = found != nullptr && found->stream_.get() == &stream &&
                          stream.seen.has_lost_none_since(found->mark_) &&
                          (found->has_others_ || !may_share(stream, publication));
    return is_valid ? found : nullptr;
}

bool StoredItems::suffice(const Stream& stream, const Publication& publication, const StoredItems* found) {
    if (stream.remembers_all()) return true;
    found = if_valid(found, stream, publication);
    for (std::size_t i = 0; i < publication.keys.size(); ++i) {
        if (found != nullptr && found->items_[i].is_looked_up) continue;
        if (!is_in_memory(stream, publication.keys[i])) return false;
    }
    return true;
}

std::vector<KnownItem> StoredItems::known(const Stream& stream, const Publication& publication,
                                          const StoredItems* found, feed::RecordTime oldest) {
    found = if_valid(found, stream, publication);
    const bool has_others = may_share(stream, publication);
    std::vector<KnownItem> all(publication.keys.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const PublishedKey& item = publication.keys[i];
        KnownItem& known = all[i];
        const auto find = [&](const text::Digest& identity, std::optional<store::SeenItem> Item::*stored) {
            if (const auto in_memory = stream.seen.find(identity)) {
                known.is_pending = stream.seen.is_held(identity);
                return in_memory;
            }
            return found == nullptr ? std::nullopt : unless_older(found->items_[i].*stored, oldest);
        };
        if (item.is_unique()) continue;
        known.same = find(item.key.identity, &Item::same);
        if (known.same || !has_others) continue;
        const bool is_looked_up = found != nullptr && found->items_[i].is_looked_up;
        known.other = find(is_looked_up ? found->items_[i].other_identity : other_identity(item), &Item::other);
    }
    return all;
}

}  // namespace sluice::broker
