// The reply to an accepted publication. Pure functions; any thread.
#pragma once

#include <string>

#include "broker/core/ingest/publisher.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::server {

// 202 with the number of items received, new, updated and unchanged, the ids of their events, and how safe they are. If
// items were refused: their number, and the place and reason of the first ones.
HttpReply accepted_reply(const broker::Publication& publication, const broker::PublishResult& result,
                         store::Durability durability);
// The same again, from what the log has kept of it.
HttpReply accepted_reply(const std::string& stream, const store::StoredReply& reply, store::Durability durability);

// What the reply says of refused items and of repairs, as members of its JSON; "": nothing.
std::string fault_members(const feed::Document& document);

// What a publication outlives, in JSON: "memory", "written" or "synced".
const char* durability_name(store::Durability durability);

}  // namespace sluice::server
