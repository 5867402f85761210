// A publication from its request to what the publisher takes: what the request asks for, then the parsed document with
// its records and keys. Plain value, independent of the connection; one thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "broker/base/memory/memory_budget.hpp"
#include "broker/core/ingest/charged_document.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"
#include "protocol/feed/data/cloud_event.hpp"
#include "protocol/feed/model/document.hpp"

namespace sluice::server {

using PublicationPtr = std::shared_ptr<broker::Publication>;
using Prepared = std::variant<PublicationPtr, HttpReply, broker::MissingMemory>;

// Bodies up to these sizes are handled on the I/O thread, since handing them over would take longer. A compressed body
// may expand greatly.
inline constexpr std::size_t small_body_bytes = 32u << 10;
inline constexpr std::size_t small_gzip_bytes = 1u << 10;

struct PublishTask {
    std::string stream;
    std::string body;
    base::MemoryCharge memory;  // of the body
    bool is_gzip = false;
    bool deduplicate = true;
    broker::StreamOptionsPtr of_stream;
    broker::StreamPtr known_stream;              // as in the publication
    std::optional<text::Digest> attempt;         // as in the publication
    const text::Digest* kept_request = nullptr;  // of a request whose reply the log keeps on disk; null: it doesn't
    std::string owner;                           // of the events' records
    std::unique_ptr<const feed::BinaryCloudEvent> cloud_event;  // whose data the body is; outside of coroutine frames
    feed::DocumentOptions options;

    bool is_small() const;  // so little work that the I/O thread does it
};

// Fills in a new task as the request describes it, which gives up its body. Returns the reply that refuses it, if any.
std::optional<HttpReply> read_publish_task(const Services& services, HttpRequest& request, PublishTask& task);

// Decompresses the body of a task that is gzip. Returns nothing if it succeeded, else as prepare_publication(). Any
// thread.
std::optional<Prepared> decompress(PublishTask& task, base::MemoryBudget& budget);

// Returns the publication, the reply that refuses it, or why there is no memory for it; in the last case the task keeps
// its body, and can be tried again. Any thread.
Prepared prepare_publication(PublishTask& task, base::MemoryBudget& budget, const broker::StageTimes& stages);

}  // namespace sluice::server
