// The reply to an accepted publication. Pure function; any thread.
#pragma once

#include "broker/core/ingest/publisher.hpp"
#include "broker/server/http/http_types.hpp"

namespace sluice::server {

// 202 with the number of items received, new, updated and unchanged, and the ids of their events. If items were
// refused: their number, and the place and reason of the first ones.
HttpReply accepted_reply(const broker::Publication& publication, const broker::PublishResult& result);

}  // namespace sluice::server
