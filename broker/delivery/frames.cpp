#include "broker/delivery/frames.hpp"

#include "protocol/feed/event_json.hpp"
#include "protocol/http/sse.hpp"

namespace sluice {

Frame json_frame(const Event& event) {
    std::string json = event_json(event);
    json.pop_back();
    return std::make_shared<const std::string>("id: " + std::to_string(event.id) + "\ndata: " + json);
}

std::string json_frame_end(std::span<const std::uint32_t> filters) {
    if (filters.empty()) return "}\n\n";
    std::string end = ",\"filters\":[";
    for (const std::uint32_t filter : filters) end += std::to_string(filter) + ',';
    end.back() = ']';
    return end + "}\n\n";
}

Frame xml_frame(const Event& event) {
    std::string frame = "id: " + std::to_string(event.id) + '\n';
    append_sse_data(frame, event.item().source);
    return std::make_shared<const std::string>(frame + '\n');
}

}  // namespace sluice
