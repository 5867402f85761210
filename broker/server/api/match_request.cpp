#include "broker/server/api/match_request.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>

#include "broker/store/event_log.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

namespace json = boost::json;

namespace {

std::optional<HttpReply> refuse_combination(const json::object& members) {
    const auto refuse = [](std::string detail) { return status_reply(400, "member " + std::move(detail)); };
    if (!members.contains("filter")) return refuse("\"filter\" is missing");
    if (!members.contains("since")) {
        if (members.contains("document")) return std::nullopt;
        return refuse("\"document\" is missing, and so is \"since\"");
    }
    for (const char* of_document : {"document", "content_type", "event_path", "repair"})
        if (members.contains(of_document)) return refuse("\"" + std::string(of_document) + "\" excludes \"since\"");
    return std::nullopt;
}

}  // namespace

std::optional<HttpReply> read_trial(const std::string& body, Trial& trial) {
    boost::system::error_code error;
    const json::value value = json::parse(body, error);
    if (error) return status_reply(400, "the body is not JSON: " + error.message());
    if (!value.is_object()) return status_reply(400, "the body is not a JSON object");
    for (const auto& [key, member] : value.get_object()) {
        std::string* out = key == "filter"         ? &trial.filter
                           : key == "document"     ? &trial.document
                           : key == "content_type" ? &trial.content_type
                           : key == "event_path"   ? &trial.event_path
                           : key == "stream"       ? &trial.stream
                           : key == "repair"       ? &trial.repair
                           : key == "since"        ? &trial.since
                                                   : nullptr;
        if (out == nullptr) {
            return status_reply(400, "unknown member \"" + std::string(key) +
                                         "\"; known are filter, document, content_type, event_path, stream, repair, "
                                         "since");
        }
        if (!member.is_string()) return status_reply(400, "member \"" + std::string(key) + "\" is not a string");
        *out = member.get_string();
    }
    if (auto refusal = refuse_combination(value.get_object())) return refusal;
    trial.is_of_past = value.get_object().contains("since");
    const bool is_all = trial.is_of_past && trial.stream == store::all_streams;
    if (!is_all && !text::is_stream_name(trial.stream))
        return status_reply(400, "member \"stream\" is not a stream name");
    return std::nullopt;
}

std::size_t json_memory_max(std::string_view body) {
    constexpr std::size_t value_bytes = 64;  // including a vector's growth
    const auto marks =
        std::count_if(body.begin(), body.end(), [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; });
    return 2 * body.size() + static_cast<std::size_t>(marks) * value_bytes;
}

}  // namespace sluice::server
