#include "broker/cli/stream_hint.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "broker/cli/client/members.hpp"
#include "protocol/text/nearest.hpp"

namespace sluice::cli {

namespace json = boost::json;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t pages_max = 10;  // of the list of streams

// The broker's reply, if it comes in time.
std::optional<HttpReply> fetch_until(Clock::time_point end, HttpServer server, const std::string& target) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return std::nullopt;
    server.connect_timeout = server.silence_max = left;
    HttpRequest request;
    request.target = target;
    HttpWatch watch;
    watch.stops = [end] { return Clock::now() >= end; };
    auto reply = send(server, request, watch);
    if (!reply || watch.stops()) return std::nullopt;
    return std::move(*reply);
}

// As many as are told in time.
std::vector<std::string> names_of_streams(Clock::time_point end, const HttpServer& server) {
    const std::string path = "/v1/streams";
    std::vector<std::string> names;
    std::string target = path;
    for (std::size_t page = 0; page < pages_max && target.starts_with(path); ++page) {
        const auto reply = fetch_until(end, server, target);
        if (!reply || reply->status != 200) break;
        boost::system::error_code error;
        const json::value body = json::parse(reply->body, error);
        if (error || !body.is_object()) break;
        for (const json::object& each : objects_in(body.get_object(), "streams"))
            names.push_back(text_in(each, "name"));
        target = text_in(body.get_object(), "next");
    }
    return names;
}

// What is meant by a stream's name; "": that is not known. None: the broker has it.
std::optional<std::string> nearest_stream(Clock::time_point end, const HttpServer& server, const std::string& stream) {
    const std::vector<std::string> names = names_of_streams(end, server);
    if (std::find(names.begin(), names.end(), stream) != names.end()) return std::nullopt;
    return std::string(text::nearest(stream, std::vector<std::string_view>(names.begin(), names.end())));
}

}  // namespace

void hint_at_unknown_stream(const HttpServer& server, const std::string& stream, std::chrono::milliseconds longest,
                            const Console& console) {
    constexpr unsigned not_found = 404;
    const Clock::time_point end = Clock::now() + longest;
    const auto found = fetch_until(end, server, "/v1/streams/" + stream);
    if (!found || found->status != not_found) return;
    const std::optional<std::string> nearest = nearest_stream(end, server, stream);
    if (!nearest) return;  // it has come meanwhile
    std::string text = "the broker has no stream " + stream + " yet; publishing to it creates it";
    json::object more{{"stream", stream}};
    if (!nearest->empty()) {
        text += " (did you mean " + *nearest + "?)";
        more["nearest"] = *nearest;
    }
    console.note(text, more);
}

void hint_at_nearest_stream(const HttpServer& server, const std::string& stream, std::chrono::milliseconds longest,
                            const Console& console) {
    const std::optional<std::string> nearest = nearest_stream(Clock::now() + longest, server, stream);
    if (nearest && !nearest->empty())
        console.note("did you mean " + *nearest + "?", {{"stream", stream}, {"nearest", *nearest}});
}

}  // namespace sluice::cli
