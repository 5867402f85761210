#include "broker/server/subscriptions/subscription_json.hpp"

#include <algorithm>
#include <boost/json/value_from.hpp>
#include <string>
#include <vector>

#include "broker/core/ingest/streams.hpp"
#include "broker/server/api/publish_reply.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/wall_clock.hpp"
#include "config/units.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::server {

namespace {

const char* name_of(config::AckOption ack) {
    switch (ack) {
        case config::AckOption::none:
            return "none";
        case config::AckOption::cumulative:
            return "cumulative";
        case config::AckOption::each:
            break;
    }
    return "each";
}

// The first event of some streams after a position.
class FirstEvent {
public:
    FirstEvent(store::EventLog& log, std::uint64_t after) : log_(log), after_(after) {}

    bool is_found() const { return id_ != none; }
    feed::RecordTime time() const { return time_; }

    void of_all() { read(store::all_streams); }

    void of(const std::string& stream) {
        const store::StreamExtent extent = log_.extent(stream);
        if (extent.last_id <= after_) return;
        if (id_ <= std::max(extent.first_id, after_ + 1)) return;
        read(stream);
    }

private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    void read(std::string_view stream) {
        const store::Slice slice = log_.read(stream, after_ + 1, 1, 1);
        if (slice.kept.empty()) return;
        const feed::EventHead& head = slice.kept.front().events.front();
        if (head.id >= id_) return;
        id_ = head.id;
        time_ = head.time;
    }

    store::EventLog& log_;
    const std::uint64_t after_;
    std::uint64_t id_ = none;
    feed::RecordTime time_ = 0;
};

}  // namespace

boost::json::object subscription_options_json(const config::SubscriptionOptions& options) {
    return {{"streams", boost::json::value_from(options.streams)},
            {"filters", boost::json::value_from(options.filters)},
            {"start", options.start},
            {"ack", name_of(options.ack)},
            {"ack_wait", config::duration_text(options.ack_wait)},
            {"max_deliver", options.max_deliver},
            {"dead_letter", options.dead_letter},
            {"prefetch", options.prefetch},
            {"share", options.share},
            {"hold_bytes", config::size_text(options.hold_bytes)}};
}

SubscriptionLag find_lag(const broker::DurableSubscription::State& state, store::EventLog& log,
                         const broker::Streams& streams) {
    const std::uint64_t last_id = log.last_id();
    if (last_id <= state.cursor) return {};
    const text::StreamSelection selection(state.options.streams);
    FirstEvent first(log, state.cursor);
    if (selection.is_all()) {
        first.of_all();
    } else if (selection.prefixes().empty()) {
        for (const std::string& stream : selection.names()) first.of(stream);
    } else {
        for (const std::string& stream : streams.names())
            if (selection.matches(stream)) first.of(stream);
    }
    if (!first.is_found()) return {};
    const feed::RecordTime now = store::wall_time();
    return {last_id - state.cursor, static_cast<double>(now - std::min(now, first.time())) / 1e6};
}

boost::json::object subscription_json(const broker::DurableSubscription::State& state, const SubscriptionLag& lag,
                                      store::EventLog& log) {
    const broker::SubscriptionCounts& counts = state.counts;
    return {{"name", state.name},
            {"owner", nullptr},
            {"options", subscription_options_json(state.options)},
            {"position", state.cursor},
            {"next", state.next},
            {"epoch", log.epoch()},
            {"unacknowledged", state.outstanding},
            {"consumers", state.consumers},
            {"lag", {{"events", lag.events}, {"seconds", lag.seconds}}},
            {"counts",
             {{"delivered", counts.delivered},
              {"redelivered", counts.redelivered},
              {"acknowledged", counts.acknowledged},
              {"expired", counts.expired},
              {"rejected", counts.rejected},
              {"dead_letters", counts.dead_letters},
              {"gaps", counts.gaps},
              {"resets", counts.resets},
              {"withdrawn", counts.withdrawn}}},
            {"stored", durability_name(log.durability())}};
}

}  // namespace sluice::server
