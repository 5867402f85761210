// Reads the events of a subscriber, and connects again when the connection is lost. Belongs to one thread.
#pragma once

#include <cstddef>
#include <string>

#include "broker/cli/client/http_client.hpp"
#include "broker/cli/client/sse_reader.hpp"
#include "broker/cli/commands.hpp"

namespace sluice::cli {

// Where the events go. Called by the thread that reads them.
class EventSink {
public:
    virtual ~EventSink() = default;

    // An event of the stream that does not end it. `place` is that of reset_text(). Returns whether more is wanted.
    virtual bool take(const SseEvent& event, const std::string& place) = 0;
    // Whether it may want to end between events: then stops() is asked ten times a second.
    virtual bool may_stop() const { return false; }
    virtual bool stops() { return false; }
    // Nothing more comes from this connection. Returns when nothing is being handled.
    virtual void end_connection() = 0;

    virtual std::size_t items() const = 0;  // so far
    // Of the command, when no more is wanted. Reports what is wrong.
    virtual int exit_status() = 0;
};

// Returns the exit status of the command.
int read_events(const SubscribeOptions& options, const HttpServer& server, const Console& console, EventSink& sink);

}  // namespace sluice::cli
