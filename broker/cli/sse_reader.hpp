// Reads server-sent events out of bytes that arrive in pieces of any size, as the HTML standard says (§9.2.6,
// "Interpreting an event stream"). Does no input or output; belongs to one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace sluice::cli {

struct SseEvent {
    std::string type;  // "message" unless the stream says otherwise
    std::string id;    // the last one seen, also by an earlier event
    std::string data;  // lines joined by '\n'
};

class SseReader {
public:
    static constexpr std::size_t event_bytes_max = 64u << 20;

    // Takes the next bytes and calls `event` for each event that they complete. False: an event is longer than
    // event_bytes_max; the reader is then of no more use.
    bool read(std::string_view bytes, const std::function<void(const SseEvent&)>& event);

private:
    void take_line(std::string_view line, const std::function<void(const SseEvent&)>& event);

    std::string line_;  // the beginning of a line whose end has not come yet
    SseEvent event_{"message", "", ""};
    bool has_data_ = false;
    bool after_return_ = false;  // the last byte was '\r', which a '\n' may complete
    bool at_start_ = true;       // of the stream, where a byte order mark may stand
};

}  // namespace sluice::cli
