#include "broker/server/subscriptions/subscription_json.hpp"

#include <boost/json/value_from.hpp>
#include <chrono>
#include <string>

#include "broker/server/api/publish_reply.hpp"
#include "broker/store/event_log.hpp"
#include "config/units.hpp"

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

// Whole seconds are an integer, since Boost.JSON writes the number 0 as "0E0" if it is a double.
boost::json::value seconds_json(std::chrono::microseconds age) {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(age);
    if (whole == age) return whole.count();
    return std::chrono::duration<double>(age).count();
}

boost::json::value owner_json(const std::string& owner) {
    if (owner.empty()) return nullptr;
    return boost::json::string(owner);
}

boost::json::value lag_json(const std::optional<broker::SubscriptionLag>& lag) {
    if (!lag) return nullptr;
    return {{"events", lag->events}, {"seconds", seconds_json(lag->age)}};
}

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

boost::json::object subscription_json(const broker::DurableSubscription::State& state,
                                      const std::optional<broker::SubscriptionLag>& lag, store::EventLog& log) {
    const broker::SubscriptionCounts& counts = state.counts;
    return {{"name", state.key.name},
            {"owner", owner_json(state.key.owner)},
            {"options", subscription_options_json(state.options)},
            {"position", state.cursor},
            {"next", state.next},
            {"epoch", log.epoch()},
            {"unacknowledged", state.outstanding},
            {"consumers", state.consumers},
            {"lag", lag_json(lag)},
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
