#include "broker/cli/events/reset_text.hpp"

#include <boost/json.hpp>
#include <string_view>

namespace sluice::cli {

namespace json = boost::json;

namespace {

const json::value* member_of(const json::value& reset, std::string_view name) {
    return reset.is_object() ? reset.get_object().if_contains(name) : nullptr;
}

std::string string_in(const json::value& reset, std::string_view name) {
    const auto* found = member_of(reset, name);
    return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string stream_of(const json::value& reset) {
    const std::string name = string_in(reset, "stream");
    if (name.empty()) return "";
    return name == "*" ? " of all streams" : " of stream " + json::serialize(name);
}

std::string fault_of(const json::value& reset) {
    const std::string reason = string_in(reset, "reason");
    if (reason == "retention") return "are missing, because the broker no longer keeps all of them";
    if (reason == "damaged") return "are missing, because the broker can't read all of them from its disk";
    const std::string maybe = "may be missing or come again, because ";
    if (reason == "epoch") return maybe + "the broker's log began anew, as after a restart";
    if (reason == "unknown") return maybe + "the broker does not know this place";
    const std::string detail = string_in(reset, "detail");
    return detail.empty() ? "may be missing" : "may be missing: " + detail;
}

}  // namespace

std::string reset_text(const json::value& reset, const std::string& place) {
    const auto* oldest = member_of(reset, "oldest_id");
    const std::string from = oldest && oldest->is_number() ? " from event " + json::serialize(*oldest) + " on" : "";
    return "events" + stream_of(reset) + (place.empty() ? "" : " ") + place + " " + fault_of(reset) +
           "; those that it keeps" + from + " follow";
}

}  // namespace sluice::cli
