// A subscription over one connection: requests the events, takes them as they arrive, and says how the connection
// ended. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/client/sse_reader.hpp"
#include "broker/cli/commands.hpp"

namespace sluice::cli {

// How a connection ended.
struct StreamEnd {
    enum class Kind : std::uint8_t {
        lost,      // it may be tried again
        refused,   // by the broker, or by something else: the same request would be refused again
        enough,    // the receiver wants no more
        complete,  // all that the broker kept has come (SubscribeOptions::until_now)
    };
    Kind kind = Kind::lost;
    std::string reason;                                // for people; empty if `reply` says it, or if nothing is wrong
    HttpReply reply{};                                 // that refuses or puts off, if there is one
    bool was_open = false;                             // the broker had accepted the subscription
    std::optional<std::chrono::milliseconds> retry{};  // when the broker wants to be asked again
};

struct StreamReceiver {
    std::function<void()> opened;                     // the broker has accepted the subscription
    std::function<bool(const SseEvent&)> event;       // returns false if no more is wanted
    std::function<void(const std::string&)> last_id;  // as in SseReceiver
    std::function<bool()> stops{};  // asked ten times a second: true if no more is wanted; may be empty
};

// Asks for the events after `last_id`; if it is empty, for those from where the options say.
StreamEnd receive(const HttpServer& server, const SubscribeOptions& options, const std::string& last_id,
                  const StreamReceiver& receiver);

// How long a broker that says how often it shows that it lives may be silent: three times as long.
std::chrono::milliseconds silence_of(const HttpReply& reply, std::chrono::milliseconds otherwise);

}  // namespace sluice::cli
