// Events that are matched together, and the streams they belong to. StreamLanes fills it. Belongs to the thread that
// matches it and reuses it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "broker/core/matching/stream_queue.hpp"
#include "protocol/feed/model/event.hpp"

namespace sluice::broker {

// See event_queue.hpp.
enum class Lane : std::uint8_t { fast, slow };

struct QueuedBatch {
    struct Part {  // the events of one stream
        StreamQueue* stream = nullptr;
        std::uint64_t ticket = 0;  // its place in the stream's order of delivery
        bool hand_over = false;    // not delivered; the slow lane matches its events
    };

    Lane lane = Lane::fast;
    std::vector<feed::Event> events;
    std::vector<std::size_t> bytes;      // by event
    std::vector<std::uint32_t> part_of;  // by event
    std::vector<Part> parts;
    std::chrono::steady_clock::time_point first_queued_at;  // when its first event was queued,
    std::chrono::steady_clock::duration queued_later{0};    // and how much later each of the others, in sum
    QueuedEvents nodes;  // as many as events, empty: returning events to the queue then allocates nothing

    // Filling the batch then allocates nothing.
    void reserve(std::size_t events_max) {
        events.reserve(events_max);
        bytes.reserve(events_max);
        part_of.reserve(events_max);
        parts.reserve(events_max);
    }
    void clear() {
        events.clear();
        bytes.clear();
        part_of.clear();
        parts.clear();
        nodes.clear();
        queued_later = {};
    }

    void add(QueuedEvent& queued, std::uint32_t part) {
        if (events.empty()) first_queued_at = queued.queued_at;
        queued_later += queued.queued_at - first_queued_at;
        events.push_back(std::move(queued.event));
        bytes.push_back(queued.bytes);
        part_of.push_back(part);
    }
    // How long its events have been in the queue by then, in sum.
    std::chrono::steady_clock::duration waited(std::chrono::steady_clock::time_point now) const {
        return static_cast<std::int64_t>(events.size()) * (now - first_queued_at) - queued_later;
    }

    // Returns the index of the stream's part, or parts.size() if it has none.
    std::uint32_t find_part(const StreamQueue& stream) const {
        std::uint32_t p = 0;
        while (p < parts.size() && parts[p].stream != &stream) ++p;
        return p;
    }
    // The stream with the most bytes in the batch, the first if several have equally many. The batch must not be empty.
    StreamQueue& largest_stream() const {
        std::size_t largest = 0, largest_bytes = 0;
        for (std::uint32_t p = 0; p < parts.size(); ++p) {
            std::size_t part_bytes = 0;
            for (std::size_t e = 0; e < bytes.size(); ++e)
                if (part_of[e] == p) part_bytes += bytes[e];
            if (part_bytes > largest_bytes) {
                largest = p;
                largest_bytes = part_bytes;
            }
        }
        return *parts[largest].stream;
    }
};

}  // namespace sluice::broker
