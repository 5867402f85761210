// Parsed documents become events: told apart from what was posted before, numbered, and put into the queue, all of a
// document or nothing of it. Any thread; publishers to different streams hardly meet.
#pragma once

#include <boost/system/result.hpp>
#include <boost/throw_exception.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "broker/base/counters.hpp"
#include "broker/ingest/deduplicator.hpp"
#include "broker/matching/event_queue.hpp"
#include "protocol/feed/document.hpp"

namespace sluice {

// A document with all that can be computed before it is known whether there is room for it.
struct Publication {
    std::string stream;
    DocumentPtr document;
    std::size_t bytes = 0;
    std::vector<ItemKey> keys;  // of the items; empty: every item is delivered
};

Publication prepare_publication(std::string stream, DocumentPtr document, std::size_t bytes, bool deduplicate);

struct PublishResult {
    std::size_t received = 0;
    std::size_t added = 0;
    std::size_t updated = 0;
    std::size_t unchanged = 0;
    std::uint64_t first_id = 0;  // of the events of this document; 0: it has none that is delivered
    std::uint64_t last_id = 0;
};

enum class PublishRefusal : std::uint8_t { no_room, closed, too_many_streams };

[[noreturn]] inline void throw_exception_from_error(PublishRefusal, const boost::source_location&) {
    throw std::runtime_error("publication refused");
}

class Publisher {
public:
    struct Settings {
        std::size_t streams_max;
        std::size_t deduplication_entries;  // per stream
    };

    Publisher(Settings settings, EventQueue& queue, Counters& counters)
        : settings_(settings), queue_(queue), counters_(counters) {}

    // After a refusal nothing has been published or remembered, and the publication can be tried again.
    boost::system::result<PublishResult, PublishRefusal> publish(const Publication& publication);

    // Name and last id of every stream, by name.
    std::vector<std::pair<std::string, std::uint64_t>> streams() const;

private:
    struct Stream {
        Stream(const std::string& stream_name, std::size_t entries_max)
            : name(std::make_shared<const std::string>(stream_name)), seen(entries_max) {}

        const std::shared_ptr<const std::string> name;
        std::mutex mutex;
        std::uint64_t last_id = 0;
        Deduplicator seen;
    };

    Stream* find_or_create(const std::string& name);
    boost::system::result<PublishResult, PublishRefusal> publish_locked(Stream& stream, const Publication& publication);

    const Settings settings_;
    EventQueue& queue_;
    Counters& counters_;
    mutable std::shared_mutex mutex_;
    std::unordered_map<std::string, std::unique_ptr<Stream>> streams_;
};

}  // namespace sluice
