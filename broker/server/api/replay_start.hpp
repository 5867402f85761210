// Where GET /v1/events begins, as its headers and parameters say: with live events, or with a replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/server/http/http_types.hpp"
#include "broker/store/event_log.hpp"

namespace sluice::server {

struct ReplayStart {
    std::optional<std::uint64_t> next_id{};  // a replay begins with it; none: live events
    std::optional<std::uint64_t> last_id{};  // the stream ends after it; none: never
    std::string reset{};                     // what to tell before the first event: text of the event stream
    std::optional<HttpReply> refusal{};
};

// Last-Event-ID beats lastEventId=, which beats the parameters after=, since= and from=, of which there is at most one:
// a browser that connects again sends its URL again. `stream`: "*" or a name.
ReplayStart read_replay_start(const HttpRequest& request, const std::string& stream, store::EventLog& log);

}  // namespace sluice::server
