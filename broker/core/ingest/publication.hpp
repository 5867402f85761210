// A document that is to be published, and the outcome. Plain values.
#pragma once

#include <boost/system/result.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "broker/core/ingest/item_keys.hpp"
#include "broker/core/ingest/publish_result.hpp"
#include "broker/store/attempt_id.hpp"
#include "broker/store/durable_state.hpp"
#include "protocol/feed/model/document.hpp"
#include "protocol/feed/model/record.hpp"

namespace sluice::broker {

struct Stream;

// A document with everything that can be computed before there is room for it.
struct Publication {
    std::string stream;
    feed::DocumentPtr document;
    feed::DocumentRecordPtr record;          // the document's
    std::size_t bytes = 0;                   // of the document in memory
    std::vector<PublishedKey> keys;          // of the items; empty: every item is delivered
    std::function<bool()> may_begin_stream;  // called before a new stream is created; null: always allowed
    // The client's, by which a log recognises a repetition; none: it has none, so a random one serves.
    std::optional<store::AttemptId> attempt = std::nullopt;
    // What is kept for a repetition, but for the counts and ids; none: nothing.
    std::optional<store::StoredReply> reply = std::nullopt;
    std::shared_ptr<Stream> known_stream = nullptr;  // unless it has gone meanwhile; null: it must be looked for
};

using PublishOutcome = boost::system::result<PublishResult, PublishRefusal>;
using PublishDone = std::function<void(const PublishOutcome&)>;

}  // namespace sluice::broker
