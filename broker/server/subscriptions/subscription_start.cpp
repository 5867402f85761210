#include "broker/server/subscriptions/subscription_start.hpp"

#include <string>
#include <string_view>

#include "broker/server/api/replay_start.hpp"
#include "broker/store/event_log.hpp"
#include "config/units.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::server {

namespace {

SubscriptionStart refuse(std::string detail) {
    SubscriptionStart start;
    start.refusal = status_reply(400, "start: " + std::move(detail));
    return start;
}

SubscriptionStart after(std::uint64_t id, store::EventLog& log) {
    const std::uint64_t last = log.last_id();
    if (id > last)
        return refuse("no event has the id " + std::to_string(id) + " yet; the last one has " + std::to_string(last));
    return {id + 1};
}

}  // namespace

SubscriptionStart find_subscription_start(const config::SubscriptionOptions& options, store::EventLog& log) {
    const std::string& start = options.start;
    if (start == "now") return {log.last_id() + 1};
    const text::StreamSelection selection(options.streams);
    const std::string stream = selection.single().empty() ? std::string(store::all_streams) : selection.single();
    if (start == "first") {  // with what there is: it need not be told that there was more
        const store::StreamExtent extent = log.extent(stream);
        return {extent.first_id, extent.drops};
    }
    if (const auto id = config::parse_integer(start)) return after(*id, log);
    const std::size_t dash = start.rfind('-');
    const auto id = dash == std::string::npos ? std::nullopt : config::parse_integer(start.substr(dash + 1));
    if (id && start.substr(0, dash) == log.epoch()) return after(*id, log);
    if (const auto since = find_since(start, selection, log)) return {since->next_id};
    if (id) return refuse(start + " is of an earlier log; the broker's epoch is " + log.epoch());
    return refuse("\"" + start + "\" is neither an id nor " + std::string(since_rule));
}

}  // namespace sluice::server
