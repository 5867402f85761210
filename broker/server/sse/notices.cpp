#include "broker/server/sse/notices.hpp"

#include <string_view>

namespace sluice::server {

using broker::Delivery;
using broker::GapReason;
namespace json = boost::json;

namespace {

struct GapText {
    const char* reason;
    const char* detail;
};

GapText describe(GapReason reason) {
    switch (reason) {
        case GapReason::context:
            return {"context",
                    "the filter looks at what is beside the item, which the log has not kept of these events; they are "
                    "not delivered by this filter"};
        case GapReason::undelivered:
            return {"undelivered", "the broker could not match or deliver these events"};
        default:
            return {"over-budget",
                    "a condition of the filter exceeds its budget for these events; they are not delivered by this "
                    "filter"};
    }
}

const char* detail_of(std::string_view reason) {
    if (reason == "epoch") return "the events with such ids are gone; it goes on with the oldest event that is kept";
    if (reason == "unknown") return "no event has this id yet; it goes on with the oldest event that is kept";
    if (reason == "damaged") return "the log can't read all of the events asked for; it goes on with those that it has";
    return "the log no longer has all of the events asked for; it goes on with those that it has";
}

}  // namespace

json::object gap_json(const Delivery& gap) {
    const GapText text = describe(gap.reason);
    return {{"type", std::string("urn:sluice:problem:") + text.reason},
            {"title", "Not decided"},
            {"detail", text.detail},
            {"reason", text.reason},
            {"filter", gap.filters.front()},
            {"stream", *gap.event->stream},
            {"first_id", gap.first_id},
            {"last_id", gap.event->id},
            {"events", gap.gap_events}};
}

json::object reset_json(const Reset& reset) {
    return {{"type", "urn:sluice:problem:reset"},
            {"title", "Events are missing"},
            {"detail", detail_of(reset.reason)},
            {"stream", reset.stream},
            {"oldest_id", reset.oldest_id},
            {"epoch", reset.epoch},
            {"reason", reset.reason}};
}

Reset reset_of(const Delivery& delivery, const std::string& epoch) {
    return {*delivery.event->stream, delivery.event->id, epoch, delivery.first_id - 1,
            delivery.is_damage ? "damaged" : "retention"};
}

}  // namespace sluice::server
