// Writes deliveries as server-sent events. `id:` is EPOCH-ID: the log's epoch, and the id up to which everything has
// been decided, which is nearly always the event's. Gaps, resets and ends are `event: gap`, `event: reset` and
// `event: error`, each with a problem (RFC 9457) as data. Any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "broker/core/delivery/framer.hpp"
#include "broker/server/sse/notices.hpp"
#include "protocol/feed/item/event_json.hpp"

namespace sluice::server {

class SseFramer;

class SseFramers {
public:
    explicit SseFramers(const std::string& epoch);  // at most 11 bytes
    ~SseFramers();

    // `data:` is the event's JSON, on one line, followed by members for the subscriber (delivery_members.hpp).
    const broker::Framer& json(feed::JsonValues values = feed::JsonValues::where_needed) const;
    // `data:` is the item's XML, one field per line. A comment before it says that it is delivered again, and so below.
    const broker::Framer& xml() const;
    // `data:` is the item as published, one field per line, so with LF as its line ends.
    const broker::Framer& source() const;

private:
    std::unique_ptr<SseFramer> json_, json_with_values_, xml_, source_;
};

// The line `id: EPOCH-ID`: everything up to this id has been decided.
std::string sse_id(std::string_view epoch, std::uint64_t id);

// Each is an event of its own.
std::string reset_text(const Reset& reset);
std::string revoked_text();  // the last

}  // namespace sluice::server
