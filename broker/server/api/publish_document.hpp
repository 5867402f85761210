// Publishes one document, from what its request asks for to the outcome of its append: for POST /v1/events, which waits
// for that, and for POST /v1/publish, which goes on with the next document meanwhile. On the request's thread.
#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "broker/core/ingest/idempotency.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/server/api/publish_task.hpp"
#include "broker/server/api/services.hpp"
#include "broker/server/http/http_types.hpp"
#include "broker/server/net/wake_up.hpp"
#include "protocol/text/digest.hpp"

namespace sluice::server {

// An append that is under way.
struct PendingAppend {
    PublicationPtr publication;
    std::optional<broker::Publisher::Outcome> outcome;  // once it is known
    std::atomic<bool> is_known{false};
};

// What becomes of a document for whose append nobody waits.
struct Submission {
    std::shared_ptr<WakeUp> wake_up;  // of the request's coroutine, when an append has ended
    bool wants_reply = true;          // its text, even if it was accepted; with an idempotency key it must be wanted

    std::shared_ptr<const PendingAppend> append{};  // null: nothing is under way
    broker::IdempotencyKeys::Claim claim{};         // of the key, while it is
    std::optional<broker::PublishResult> result{};  // none: refused, or accepted before
    std::size_t items_refused = 0;

    bool is_under_way() const { return append != nullptr && !append->is_known.load(std::memory_order_acquire); }
};

// The reply to a user without the right to publish to the request's stream, by its name alone, before anything looks at
// the body. Names that are not valid are refused with the other parameters.
std::optional<HttpReply> refuse_publisher(const HttpRequest& request);

// Prepares and publishes what the task describes. `submission`: for it, nobody waits until the append has ended; if one
// is under way, the reply means nothing, and that of reply_to() follows.
boost::asio::awaitable<HttpReply> publish_task(Services& services, HttpRequest& request, PublishTask& task,
                                               Submission* submission = nullptr);
// The same with an Idempotency-Key, which makes a repetition of the request publish nothing. `digest`: the request's.
boost::asio::awaitable<HttpReply> publish_task_once(Services& services, HttpRequest& request, PublishTask& task,
                                                    const std::string& key, const text::Digest& digest,
                                                    Submission* submission = nullptr);
// The digest of a large body takes as long as parsing a small one. No value: no worker was free in time, or replies to
// earlier requests could not be written.
boost::asio::awaitable<std::optional<text::Digest>> digest_somewhere(Services& services, const HttpRequest& request);

// The reply to a document whose append has ended.
HttpReply reply_to(Services& services, Submission& submission);

}  // namespace sluice::server
