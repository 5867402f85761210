// GET /v1/streams, and GET, PUT, PATCH and DELETE /v1/streams/NAME
#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "broker/base/workers.hpp"
#include "broker/core/ingest/event_path.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/core/ingest/stream_definition.hpp"
#include "broker/server/api/limits.hpp"
#include "broker/server/api/on_worker.hpp"
#include "broker/server/api/problems.hpp"
#include "broker/server/api/retained_json.hpp"
#include "broker/server/http/content_codings.hpp"
#include "broker/server/http/parameters.hpp"
#include "broker/server/net/address_table.hpp"
#include "broker/server/streams/stream_handlers.hpp"
#include "broker/store/event_log.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t streams_of_page = 100;  // a call takes 0.4 ms, with options of 5 KB a stream 3 ms

// The figures tell of all its events: they are null for users who may not see all.
boost::json::object stream_json(const broker::StreamState& stream, const auth::Rights& rights) {
    boost::json::object json{{"name", stream.name}, {"defined", stream.defined},
                             {"last_id", nullptr},  {"items", nullptr},
                             {"retained", nullptr}, {"options", broker::stream_options_json(stream.options)}};
    if (!rights.may_see_figures(stream.name)) return json;
    json["last_id"] = stream.last_id;
    json["items"] = stream.items;
    json["retained"] = retained_json(stream.retained);
    return json;
}

const auth::Rights& rights_of(const HttpRequest& request) { return request.principal->account->rights; }

HttpReply json_reply(unsigned status, std::string body) {
    HttpReply reply;
    reply.status = status;
    reply.headers.emplace_back("Cache-Control", "no-store");
    reply.body = std::move(body);
    return reply;
}

HttpReply json_reply(unsigned status, const boost::json::value& body) {
    return json_reply(status, boost::json::serialize(body));
}

std::optional<HttpReply> refuse_request(const HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {})) return refusal;
    if (text::is_stream_name(request.name)) return std::nullopt;
    return status_reply(400, "a stream's name has " + std::string(text::stream_name_rule) + ", not \"" +
                                 std::string(request.name) + "\"");
}

HttpReply no_such_stream(const std::string& name) { return status_reply(404, "there is no stream \"" + name + "\""); }

// Serves PUT and PATCH: sets the options that the body has, over the defaults or those of the stream.
HttpReply set_options(Services& services, const HttpRequest& request) {
    const std::string name(request.name);
    const bool is_put = request.method == boost::beast::http::verb::put;
    broker::Streams& streams = services.publisher.streams();
    std::vector<config::ConfigError> errors;
    const auto apply = [&](config::StreamOptions& options) {
        errors = config::parse_stream_options("body", request.body, options, broker::check_event_path);
        return errors.empty();
    };
    const auto may_begin = [use = request.address_use] {
        return use == nullptr || !use->take_stream(AddressUse::Clock::now());
    };
    boost::system::result<bool, broker::PublishRefusal> done = false;
    if (!is_put)
        done = streams.redefine(name, apply);
    else if (config::StreamOptions options; apply(options))
        done = streams.define(name, options, may_begin);
    if (!errors.empty()) return status_reply(400, to_string(errors.front()));
    if (!done) return publish_problem(services.options, done.error());
    if (!is_put && !*done) return no_such_stream(name);
    const auto state = streams.state(name);
    return state ? json_reply(is_put && *done ? 201 : 200, stream_json(*state, rights_of(request)))
                 : no_such_stream(name);
}

// Waits until a change that was made is on disk, where the log has one.
asio::awaitable<HttpReply> store_change(Services& services, const HttpRequest& request, HttpReply reply) {
    store::DurableState* const durable = services.log.durable_state();
    if (durable == nullptr || reply.status >= 300) co_return reply;
    auto work = [durable] { return durable->sync(); };
    const auto ended = co_await run_on_worker(services.workers, request.address_use,
                                              worker_deadline(services.options.publish), std::move(work));
    if (!ended)
        co_return busy_problem(
            "the change is in force, but whether it is stored is not known: too many requests are waiting for the "
            "disk");
    if (!*ended) co_return reply;
    const std::string until = "the change is in force, but not stored yet, and is stored as soon as that is possible: ";
    if (**ended == store::AppendError::no_space) co_return full_problem(until + "the event log's disk is full");
    co_return busy_problem(until + "the event log failed");
}

// Parsing options takes some microseconds per byte, so a worker parses a long body.
asio::awaitable<HttpReply> set_options_somewhere(Services& services, HttpRequest& request) {
    constexpr std::size_t short_bytes = 2u << 10;
    if (auto refusal = refuse_request(request)) co_return std::move(*refusal);
    if (!content_codings(*request.headers).empty())
        co_return status_reply(415, "the body must have no Content-Encoding");
    if (request.body.size() <= short_bytes)
        co_return co_await store_change(services, request, set_options(services, request));
    auto work = [&services, &request] { return set_options(services, request); };
    auto reply =
        co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                               std::move(work), nullptr, options_estimate(request.body.size()));
    if (!reply) co_return busy_problem("too many requests are waiting for a worker");
    co_return co_await store_change(services, request, std::move(*reply));
}

// The streams after `after` by name that these rights permit to see, and the URL of the next page if there are more, as
// JSON.
std::string page_of_streams(broker::Streams& streams, const std::string& after, const auth::Rights& rights) {
    std::vector<std::string> names = streams.names();
    if (!rights.operate && !rights.sees_everything())
        std::erase_if(names, [&rights](const std::string& name) { return !rights.may_see(name); });
    boost::json::array list;
    boost::json::object page;
    for (auto name = std::upper_bound(names.begin(), names.end(), after); name != names.end(); ++name) {
        if (list.size() == streams_of_page) {
            page["next"] = "/v1/streams?after=" + *std::prev(name);
            break;
        }
        if (const auto state = streams.state(*name)) list.push_back(stream_json(*state, rights));
    }
    page["streams"] = std::move(list);
    page["total"] = names.size();
    return boost::json::serialize(page);
}

}  // namespace

asio::awaitable<HttpReply> list_streams(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {"after"})) co_return std::move(*refusal);
    const std::string after(parameter(request.query, "after", ""));
    // A client that has left does not keep others waiting for a worker.
    auto work = [&services, &after, &rights = rights_of(request), departure = request.departure] {
        return departure->noticed ? std::string() : page_of_streams(services.publisher.streams(), after, rights);
    };
    auto page = co_await run_on_worker(services.workers, request.address_use, worker_deadline(services.options.publish),
                                       std::move(work));
    if (!page) co_return busy_problem("too many requests are waiting for a worker");
    if (!request.memory.resize(page->size())) co_return memory_problem(broker::MemoryShortage::temporary);
    co_return json_reply(200, std::move(*page));
}

asio::awaitable<HttpReply> show_stream(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_request(request)) co_return std::move(*refusal);
    const std::string name(request.name);
    const auto state = services.publisher.streams().state(name);
    co_return state ? json_reply(200, stream_json(*state, rights_of(request))) : no_such_stream(name);
}

asio::awaitable<HttpReply> put_stream(Services& services, HttpRequest& request) {
    return set_options_somewhere(services, request);
}

asio::awaitable<HttpReply> patch_stream(Services& services, HttpRequest& request) {
    return set_options_somewhere(services, request);
}

asio::awaitable<HttpReply> delete_stream(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_request(request)) co_return std::move(*refusal);
    const std::string name(request.name);
    if (!services.publisher.streams().erase(name)) co_return no_such_stream(name);
    HttpReply reply;
    reply.status = 204;
    co_return co_await store_change(services, request, std::move(reply));
}

}  // namespace sluice::server
