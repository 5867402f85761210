// POST /v1/events
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/json/serialize.hpp>

#include "broker/ingest/gunzip.hpp"
#include "broker/net/endpoints.hpp"
#include "broker/net/limits.hpp"
#include "broker/net/parameters.hpp"
#include "broker/net/problems.hpp"
#include "config/load.hpp"

namespace sluice {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

namespace {

// Undoes the Content-Encoding of the body. A reply: it can't be undone.
std::optional<HttpReply> decode_body(HttpRequest& request, std::size_t bytes_max) {
    const std::string_view coding = request.header(http::field::content_encoding);
    if (coding.empty() || boost::beast::iequals(coding, "identity")) return std::nullopt;
    if (!boost::beast::iequals(coding, "gzip") && !boost::beast::iequals(coding, "x-gzip")) {
        HttpReply reply = status_reply(415, "of content codings only gzip is supported");
        reply.headers.emplace_back("Accept-Encoding", "gzip");
        return reply;
    }
    auto plain = gunzip(request.body, bytes_max);
    if (plain) {
        request.body = std::move(*plain);
        return std::nullopt;
    }
    if (plain.error() == GunzipError::corrupt) return status_reply(400, "the body is not complete and valid gzip");
    return status_reply(413,
                        "the decompressed body is larger than limits.document_bytes, " + std::to_string(bytes_max));
}

// False: there was no room in time.
asio::awaitable<bool> wait_for_room(EventQueue& queue, Clock::time_point deadline) {
    const auto executor = co_await asio::this_coro::executor;
    const auto timer = std::make_shared<asio::steady_timer>(executor, deadline);
    const bool waits = queue.wait_for_room([timer] {
        // By the time this thread gets there, it waits below.
        asio::post(timer->get_executor(), [timer] { timer->cancel(); });
    });
    if (!waits) co_return true;
    const auto [cancelled] = co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
    co_return cancelled == asio::error::operation_aborted;
}

HttpReply accepted_reply(const std::string& stream, const PublishResult& result) {
    const auto id_or_null = [](std::uint64_t id) {
        return id == 0 ? boost::json::value(nullptr) : boost::json::value(id);
    };
    HttpReply reply;
    reply.status = 202;
    reply.body = boost::json::serialize(boost::json::object{{"stream", stream},
                                                            {"received", result.received},
                                                            {"new", result.added},
                                                            {"updated", result.updated},
                                                            {"unchanged", result.unchanged},
                                                            {"first_id", id_or_null(result.first_id)},
                                                            {"last_id", id_or_null(result.last_id)}});
    return reply;
}

asio::awaitable<HttpReply> publish(Services& services, const Publication& publication) {
    const Clock::time_point deadline = Clock::now() + services.options.publish.wait;
    for (;;) {
        const auto result = services.publisher.publish(publication);
        if (result) co_return accepted_reply(publication.stream, *result);
        if (result.error() == PublishRefusal::closed) co_return busy_problem("the daemon is shutting down");
        if (result.error() == PublishRefusal::too_many_streams) {
            co_return busy_problem("there are limits.streams streams already, " +
                                   std::to_string(services.options.limits.streams));
        }
        if (!co_await wait_for_room(services.queue, deadline)) {
            count(services.counters.documents_turned_away);
            co_return busy_problem("the queue has been full for publish.wait; nothing was published");
        }
    }
}

}  // namespace

asio::awaitable<HttpReply> publish_events(Services& services, HttpRequest& request) {
    if (auto refusal = refuse_unknown_parameters(request.query, {"stream", "deduplicate"})) co_return *refusal;
    const std::string stream(parameter(request.query, "stream", "default"));
    if (!is_stream_name(stream)) {
        co_return bad_parameter("stream", stream, "1 to 128 of the characters A-Z a-z 0-9 . _ -");
    }
    const StreamOptions of_stream = stream_options(services.options, stream);
    const std::string_view deduplicate =
        parameter(request.query, "deduplicate", of_stream.deduplicate ? "true" : "false");
    if (deduplicate != "true" && deduplicate != "false") {
        co_return bad_parameter("deduplicate", deduplicate, "true or false");
    }
    if (auto refusal = decode_body(request, services.options.limits.document_bytes)) co_return *refusal;

    const DocumentOptions options{std::string(request.header(http::field::content_type)), of_stream.event_path,
                                  feed_limits(services.options.limits)};
    const std::size_t bytes = request.body.size();
    auto document = parse_document(std::move(request.body), options);
    if (!document) {
        count(services.counters.documents_refused);
        co_return feed_problem(document.error());
    }
    co_return co_await publish(services,
                               prepare_publication(stream, std::move(*document), bytes, deduplicate == "true"));
}

}  // namespace sluice
