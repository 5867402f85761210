// Parses server-sent events from bytes that arrive in pieces of any size, as in the HTML standard (§9.2.6,
// "Interpreting an event stream"). Does no I/O. Belongs to one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::cli {

struct SseEvent {
    std::string type;  // "message" unless the stream names another
    std::string id;    // the last one seen, possibly in an earlier event
    std::string data;  // lines joined by '\n'
};

struct SseReceiver {
    std::function<void(const SseEvent&)> event;
    // Gets the id after which a later connection should continue (empty: none), also if it comes without data. May be
    // empty.
    std::function<void(const std::string&)> last_id;
};

class SseReader {
public:
    static constexpr std::size_t event_bytes_max = 64u << 20;

    // Takes the next bytes and hands over what they complete. Returns false if an event is longer than event_bytes_max;
    // the reader must not be used after that.
    bool read(std::string_view bytes, const SseReceiver& receiver);

    // What the stream says last of when to connect again.
    std::optional<std::chrono::milliseconds> retry() const { return retry_; }

private:
    void take_line(std::string_view line, const SseReceiver& receiver);
    void end_block(const SseReceiver& receiver);

    std::string line_;  // the start of an incomplete line
    SseEvent event_{"message", "", ""};
    std::optional<std::chrono::milliseconds> retry_;
    bool has_data_ = false, has_id_ = false;  // the incomplete block
    bool after_return_ = false;               // the last byte was '\r', which a '\n' may complete
    bool at_start_ = true;                    // of the stream, where a byte order mark is allowed
};

}  // namespace sluice::cli
