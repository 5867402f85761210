#include "broker/delivery/frames.hpp"

#include <boost/json/serialize.hpp>

#include "protocol/feed/event_json.hpp"
#include "protocol/http/sse.hpp"

namespace sluice {

namespace {

std::string error_frame(const boost::json::object& problem) {
    return "event: error\ndata: " + boost::json::serialize(problem) + "\n\n";
}

}  // namespace

Frame json_frame(const Event& event) {
    std::string json = event_json(event);
    json.pop_back();
    return std::make_shared<const std::string>("id: " + std::to_string(event.id) + "\ndata: " + json);
}

std::string json_frame_end(std::span<const std::uint32_t> filters, const std::string& alignments) {
    std::string end;
    if (!filters.empty()) {
        end += ",\"filters\":[";
        for (const std::uint32_t filter : filters) end += std::to_string(filter) + ',';
        end.back() = ']';
    }
    if (!alignments.empty()) end += ",\"alignments\":" + alignments;
    return end + "}\n\n";
}

Frame xml_frame(const Event& event) {
    std::string frame = "id: " + std::to_string(event.id) + '\n';
    append_sse_data(frame, event.item().source);
    return std::make_shared<const std::string>(frame + '\n');
}

std::string slow_consumer_frame() {
    return error_frame({{"type", "urn:sluice:problem:slow-consumer"},
                        {"title", "Slow consumer"},
                        {"detail", "events arrived faster than they were read; events have been lost"}});
}

std::string undelivered_frame() {
    return error_frame({{"type", "urn:sluice:problem:undelivered"},
                        {"title", "Not delivered"},
                        {"detail", "the broker had not the means to deliver some events; they have been lost"}});
}

std::string slow_filter_frame(const Event& event, std::uint32_t filter) {
    return error_frame({{"type", "urn:sluice:problem:slow-filter"},
                        {"title", "Filter takes too long"},
                        {"detail",
                         "a condition of the filter takes more than limits.condition_time for an event; it "
                         "and what follows it is not delivered"},
                        {"filter", filter},
                        {"stream", *event.stream},
                        {"id", event.id}});
}

}  // namespace sluice
