#include "broker/ingest/publisher.hpp"

#include <algorithm>

#include "protocol/feed/identity.hpp"

namespace sluice {

Publication prepare_publication(std::string stream, DocumentPtr document, std::size_t bytes, bool deduplicate) {
    Publication publication{std::move(stream), std::move(document), bytes, {}};
    if (!deduplicate) return publication;
    const auto items = publication.document->items();
    publication.keys.reserve(items.size());
    for (const Item& item : items) {
        const Digest content = digest(item.source);
        const auto identity = item_identity(*publication.document, item);
        publication.keys.push_back({identity.empty() ? content : digest(identity), content});
    }
    return publication;
}

Publisher::Stream* Publisher::find_or_create(const std::string& name) {
    {
        const std::shared_lock lock(mutex_);
        if (const auto found = streams_.find(name); found != streams_.end()) return found->second.get();
    }
    const std::lock_guard lock(mutex_);
    if (const auto found = streams_.find(name); found != streams_.end()) return found->second.get();
    if (streams_.size() >= settings_.streams_max) return nullptr;
    return streams_.emplace(name, std::make_unique<Stream>(name, settings_.deduplication_entries)).first->second.get();
}

boost::system::result<PublishResult, PublishRefusal> Publisher::publish(const Publication& publication) {
    if (queue_.is_closed()) return PublishRefusal::closed;
    if (!queue_.has_room()) return PublishRefusal::no_room;
    Stream* stream = find_or_create(publication.stream);
    if (stream == nullptr) return PublishRefusal::too_many_streams;

    const std::lock_guard lock(stream->mutex);
    // The lock may have been long in coming. From here on there is room for certain: push() refuses only when closed.
    if (!queue_.has_room()) return PublishRefusal::no_room;
    return publish_locked(*stream, publication);
}

boost::system::result<PublishResult, PublishRefusal> Publisher::publish_locked(Stream& stream,
                                                                               const Publication& publication) {
    const std::size_t n = publication.document->items().size();
    PublishResult result;
    result.received = n;
    std::vector<QueuedEvent> events;
    events.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto verdict =
            publication.keys.empty() ? Deduplicator::Verdict::added : stream.seen.see(publication.keys[i]);
        if (verdict == Deduplicator::Verdict::unchanged) {
            ++result.unchanged;
            continue;
        }
        ++(verdict == Deduplicator::Verdict::added ? result.added : result.updated);
        events.push_back({{publication.document, i, stream.name, ++stream.last_id}, 0, {}});
    }
    // Each keeps the whole document alive, so that those that are delivered stand for all of its bytes.
    for (QueuedEvent& event : events) event.bytes = (publication.bytes + events.size() - 1) / events.size();
    if (!events.empty()) {
        result.first_id = events.front().event.id;
        result.last_id = events.back().event.id;
    }
    if (!events.empty() && !queue_.push(std::move(events))) return PublishRefusal::closed;
    count(counters_.documents);
    count(counters_.events, result.added + result.updated);
    count(counters_.events_unchanged, result.unchanged);
    return result;
}

std::vector<std::pair<std::string, std::uint64_t>> Publisher::streams() const {
    std::vector<std::pair<std::string, std::uint64_t>> list;
    const std::shared_lock lock(mutex_);
    for (const auto& [name, stream] : streams_) {
        const std::lock_guard stream_lock(stream->mutex);
        list.emplace_back(name, stream->last_id);
    }
    std::sort(list.begin(), list.end());
    return list;
}

}  // namespace sluice
