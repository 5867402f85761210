// POST /v1/streams/NAME/purge and DELETE /v1/streams/NAME/events/ID
#include <boost/asio/awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "broker/base/workers.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/streams/stream_handlers.hpp"
#include "broker/store/event_log.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

std::optional<std::uint64_t> read_id(std::string_view text) {
    std::uint64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return id;
}

HttpReply bad_name(std::string_view name) {
    return status_reply(
        400, "a stream's name has " + std::string(text::stream_name_rule) + ", not \"" + std::string(name) + "\"");
}

HttpReply bad_id(std::string_view what, std::string_view id) {
    return status_reply(400, std::string(what) + " must be an event's id, a number, not \"" + std::string(id) + "\"");
}

// `state`: what is known of the change.
HttpReply log_problem(store::AppendError error, const std::string& state) {
    if (error == store::AppendError::no_space) return full_problem(state + ": the event log's disk is full");
    if (error == store::AppendError::no_memory) return busy_problem(state + ": there is not enough memory");
    return busy_problem(state + ": the event log failed");
}

}  // namespace

asio::awaitable<HttpReply> purge_stream(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {"before"})) co_return std::move(*refusal);
    if (!text::is_stream_name(request.name)) co_return bad_name(request.name);
    const std::string_view given = parameter(request.query, "before", "");
    std::uint64_t before = ~std::uint64_t{0};
    if (!given.empty()) {
        const auto id = read_id(given);
        if (!id) co_return bad_id("before", given);
        before = *id;
    }
    const std::string name(request.name);
    if (!services.publisher.streams().state(name)) co_return status_reply(404, "there is no stream \"" + name + "\"");
    auto work = [&services, &name, before] { return services.log.purge(name, before); };
    const auto purged = co_await run_on_worker(services.workers, request.address_use,
                                               worker_deadline(services.options.publish), std::move(work));
    if (!purged) co_return busy_problem("nothing was purged: too many requests are waiting for the disk");
    if (purged->error) co_return log_problem(*purged->error, "whether the stream was purged is not known; try again");
    HttpReply reply;
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.body = boost::json::serialize(
        boost::json::value{{"stream", name}, {"events", purged->events}, {"first_id", purged->first_id}});
    co_return reply;
}

asio::awaitable<HttpReply> erase_event(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {})) co_return std::move(*refusal);
    if (!text::is_stream_name(request.name)) co_return bad_name(request.name);
    const auto id = read_id(request.part);
    if (!id) co_return bad_id("the last part of the path", request.part);
    const std::string name(request.name);
    auto work = [&services, &name, id = *id] { return services.log.erase(name, id); };
    const auto erased =
        co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                               std::move(work), nullptr, rewrite_estimate);
    if (!erased) co_return busy_problem("nothing was erased: too many requests are waiting for the disk");
    const std::string event = "event " + std::to_string(*id);
    if (!erased->is_found)
        co_return status_reply(404, "stream \"" + name + "\" has no " + event +
                                        ": there never was one, it is no longer retained, or it was erased");
    if (erased->error)
        co_return log_problem(*erased->error, "whether " + event + " was erased is not known; try again");
    HttpReply reply;
    reply.status = 204;
    co_return reply;
}

}  // namespace sluice::server
