// Where GET /v1/events begins, as its headers and parameters say: with live events, or with a replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/core/refusals.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/store/event_log.hpp"
#include "broker/store/selected_extent.hpp"
#include "protocol/text/stream_selection.hpp"

namespace sluice::server {

// Where the events since a time begin: with the oldest one if some of them are missing.
struct SinceStart {
    std::uint64_t next_id = 0;
    const char* missing = nullptr;  // why, as in resets: "epoch", "retention"; null: none is missing
};
// `since`: a time or a duration; none: it is neither. Looks at no other streams.
std::optional<SinceStart> find_since(std::string_view since, const text::StreamSelection& streams,
                                     store::EventLog& log);
inline constexpr std::string_view since_rule =
    "a time such as 2026-11-27T10:00:00Z, or a duration such as 30min or 24h";

struct ReplayStart {
    std::optional<std::uint64_t> next_id{};  // a replay begins with it; none: live events
    std::optional<std::uint64_t> last_id{};  // the stream ends after it; none: never
    store::KnownDrops known{};               // of which it need not be told
    std::optional<broker::ResetReason> reset_reason{};
    std::string reset{};  // what to tell before the first event: text of the event stream
    std::optional<HttpReply> refusal{};
};

// Last-Event-ID beats lastEventId=, which beats the parameters after=, since= and from=, of which there is at most one:
// a browser that connects again sends its URL again. `stream`: "*" or a name, as asked for. `streams`: those of it that
// the user may see.
ReplayStart read_replay_start(const HttpRequest& request, const std::string& stream,
                              const text::StreamSelection& streams, store::EventLog& log);

}  // namespace sluice::server
