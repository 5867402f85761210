// How far durable subscriptions are behind their streams. Looks up each stream once, so many subscriptions cost little
// more than their streams do; make another one for what is true later. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "broker/core/ingest/streams.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::broker {

struct SubscriptionLag {
    std::uint64_t events = 0;         // ids of the log after its position: at most so many are for it
    std::chrono::microseconds age{};  // of the first event of its streams after its position
};

class SubscriptionLags {
public:
    struct Event {
        std::string stream;
        std::uint64_t id = 0;
        feed::RecordTime time = 0;
    };

    SubscriptionLags(store::EventLog& log, const Streams& streams)
        : log_(log), streams_(streams), last_id_(log.last_id()) {}

    // SubscriptionLag::events; 0: its streams have nothing after the position. Reads no events.
    std::uint64_t events(const text::StreamSelection& streams, std::uint64_t position);
    // The first event of the streams after the position, if it can be read. May wait for the disk.
    std::optional<Event> first_event(const text::StreamSelection& streams, std::uint64_t position);
    bool is_retained(const Event& event);
    // Both. May wait for the disk.
    SubscriptionLag of(const text::StreamSelection& streams, std::uint64_t position);

    static std::chrono::microseconds age_of(const Event& event);

private:
    struct Extent {
        std::uint64_t first_id = 0, last_id = 0;
    };

    const Extent& extent(std::string_view stream);
    std::uint64_t last_id_of_prefix(const std::string& prefix);
    // Those whose names begin with it.
    void each_of_prefix(const std::string& prefix, const std::function<void(const std::string& stream)>& call);

    store::EventLog& log_;
    const Streams& streams_;
    const std::uint64_t last_id_;
    std::map<std::string, Extent, std::less<>> extents_;
    std::map<std::string, std::uint64_t, std::less<>> last_ids_of_prefixes_;
    std::optional<std::vector<std::string>> names_;  // of all streams, once they are needed
};

}  // namespace sluice::broker
