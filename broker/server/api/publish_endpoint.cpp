// POST /v1/events. The endpoint is prompt (endpoints.hpp) if appends end at once: what may wait (publish_document.hpp)
// first writes the replies to earlier requests.
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "broker/server/api/handlers.hpp"
#include "broker/server/api/idempotent_publish.hpp"
#include "broker/server/api/publish_document.hpp"
#include "broker/server/api/publish_task.hpp"
#include "broker/server/http/busy_problems.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

asio::awaitable<HttpReply> publish_always(Services& services, HttpRequest& request) {
    PublishTask task;
    if (auto refusal = read_publish_task(services, request, task)) co_return std::move(*refusal);
    co_return co_await publish_task(services, request, task);
}

asio::awaitable<HttpReply> reply_at_once(HttpReply reply) { co_return reply; }

// With an Idempotency-Key, which makes a repetition of the request publish nothing.
asio::awaitable<HttpReply> publish_once(Services& services, HttpRequest& request) {
    auto key = read_idempotency_key(request);
    if (auto* refusal = std::get_if<HttpReply>(&key)) co_return std::move(*refusal);
    const std::string& name = std::get<std::string>(key);
    const auto digest = co_await digest_somewhere(services, request);
    if (!digest) co_return busy_problem("too many large documents are being parsed");
    PublishTask task;
    if (auto refusal = read_publish_task(services, request, task)) co_return std::move(*refusal);
    co_return co_await publish_task_once(services, request, task, name, *digest);
}

}  // namespace

asio::awaitable<HttpReply> publish_events(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_publisher(request)) return reply_at_once(std::move(*refusal));
    return has_idempotency_key(request) ? publish_once(services, request) : publish_always(services, request);
}

}  // namespace sluice::server
