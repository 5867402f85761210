// GET /v1/streams, and GET, PUT, PATCH and DELETE /v1/streams/NAME
#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_from.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "broker/base/workers.hpp"
#include "broker/core/ingest/event_path.hpp"
#include "broker/core/ingest/publisher.hpp"
#include "broker/server/address_table.hpp"
#include "broker/server/endpoints.hpp"
#include "broker/server/limits.hpp"
#include "broker/server/on_worker.hpp"
#include "broker/server/parameters.hpp"
#include "broker/server/problems.hpp"
#include "config/load.hpp"
#include "config/options.hpp"
#include "config/units.hpp"
#include "protocol/text/stream_name.hpp"

namespace sluice::server {

namespace asio = boost::asio;

namespace {

constexpr std::size_t streams_of_page = 100;  // a call takes 0.4 ms, with options of 5 KB a stream 3 ms

// Options in the form in which they are read, so that a client can PUT what it got.
boost::json::object options_json(const config::StreamOptions& options) {
    return {{"event_path", options.event_path},
            {"id_path", options.id_path},
            {"deduplicate", options.deduplicate},
            {"deduplication_window", config::duration_text(options.deduplication_window)},
            {"deduplication_ignore",
             boost::json::value_from(options.deduplication_ignore.value_or(std::vector<std::string>()))},
            {"repair", options.repair == config::RepairOption::strict ? "strict" : "lenient"}};
}

boost::json::object stream_json(const broker::StreamState& stream) {
    return {{"name", stream.name},
            {"defined", stream.defined},
            {"last_id", stream.last_id},
            {"items", stream.items},
            {"options", options_json(stream.options)}};
}

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

// Applies the body's options over `options` and defines the stream with the result.
HttpReply define(Services& services, const HttpRequest& request, config::StreamOptions options) {
    const std::string name(request.name);
    if (!request.header(boost::beast::http::field::content_encoding).empty())
        return status_reply(415, "the body must have no Content-Encoding");
    const auto errors = config::parse_stream_options("body", request.body, options, broker::check_event_path);
    if (!errors.empty()) return status_reply(400, to_string(errors.front()));
    broker::Streams& streams = services.publisher.streams();
    const auto may_begin = [use = request.address_use] {
        return use == nullptr || !use->take_stream(AddressUse::Clock::now());
    };
    const auto is_new = streams.define(name, options, may_begin);
    if (!is_new) return publish_problem(services.options, is_new.error());
    const auto state = streams.state(name);
    const bool is_created = *is_new && request.method == boost::beast::http::verb::put;
    return state ? json_reply(is_created ? 201 : 200, stream_json(*state)) : no_such_stream(name);
}

// The streams after `after` by name, and the URL of the next page if there are more, as JSON.
std::string page_of_streams(broker::Streams& streams, const std::string& after) {
    const std::vector<std::string> names = streams.names();
    boost::json::array list;
    boost::json::object page;
    for (auto name = std::upper_bound(names.begin(), names.end(), after); name != names.end(); ++name) {
        if (list.size() == streams_of_page) {
            page["next"] = "/v1/streams?after=" + *std::prev(name);
            break;
        }
        if (const auto state = streams.state(*name)) list.push_back(stream_json(*state));
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
    auto work = [&services, &after, departure = request.departure] {
        return departure->noticed ? std::string() : page_of_streams(services.publisher.streams(), after);
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
    co_return state ? json_reply(200, stream_json(*state)) : no_such_stream(name);
}

asio::awaitable<HttpReply> put_stream(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_request(request)) co_return std::move(*refusal);
    config::StreamOptions defaults;
    co_return define(services, request, std::move(defaults));
}

asio::awaitable<HttpReply> patch_stream(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_request(request)) co_return std::move(*refusal);
    const std::string name(request.name);
    const auto state = services.publisher.streams().state(name);
    co_return state ? define(services, request, state->options) : no_such_stream(name);
}

asio::awaitable<HttpReply> delete_stream(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_request(request)) co_return std::move(*refusal);
    const std::string name(request.name);
    if (!services.publisher.streams().erase(name)) co_return no_such_stream(name);
    HttpReply reply;
    reply.status = 204;
    co_return reply;
}

}  // namespace sluice::server
