#include "broker/server/endpoints.hpp"

#include <catch2/catch.hpp>

#include "broker/server/api/handlers.hpp"
#include "broker/server/streams/stream_handlers.hpp"
#include "broker/server/subscriptions/subscription_handlers.hpp"

using sluice::server::find_endpoint;
namespace http = sluice::server::http;

TEST_CASE("a path and a method name an endpoint") {
    CHECK(find_endpoint(http::verb::post, "/v1/events").endpoint->handler == sluice::server::publish_events);
    CHECK(find_endpoint(http::verb::get, "/v1/events").endpoint->method == http::verb::get);
    CHECK(find_endpoint(http::verb::get, "/v1/streams/a").name == "a");
    CHECK(find_endpoint(http::verb::get, "/v1/events/17/why").endpoint->handler == sluice::server::explain_event);
    CHECK(find_endpoint(http::verb::head, "/v1/events/17/why").name == "17");
    CHECK(find_endpoint(http::verb::put, "/v1/subscriptions/a").name == "a");
    CHECK(find_endpoint(http::verb::post, "/v1/subscriptions/a/ack").endpoint->handler ==
          sluice::server::acknowledge_events);
    CHECK(find_endpoint(http::verb::head, "/v1/status").endpoint->handler == sluice::server::show_status);
}

TEST_CASE("other paths and methods are refused with what there is") {
    CHECK(find_endpoint(http::verb::get, "/nowhere").refusal.status == 404);
    CHECK(find_endpoint(http::verb::get, "/v1/events/").refusal.status == 404);
    for (const char* path : {"/v1/events//why", "/v1/events/why", "/v1/events/1/2/why", "/v1/events/1/why/",
                             "/v1/events/1", "/v1/streams/", "/v1/streams/a/b"})
        CHECK(find_endpoint(http::verb::get, path).refusal.status == 404);
    CHECK(find_endpoint(http::verb::post, "/v1/events/1/why").refusal.status == 405);
    const auto refused = find_endpoint(http::verb::put, "/v1/events").refusal;
    CHECK(refused.status == 405);
    REQUIRE(refused.headers.size() == 1);
    CHECK(refused.headers[0].first == "Allow");
    CHECK(refused.headers[0].second == "POST, GET, HEAD, OPTIONS");
    CHECK(find_endpoint(http::verb::head, "/v1/match").refusal.status == 405);
    const auto options = find_endpoint(http::verb::options, "/v1/match").refusal;
    CHECK(options.status == 204);
    CHECK(options.headers[0].second == "POST, OPTIONS");
}

TEST_CASE("a path may name two things") {
    const auto found = find_endpoint(http::verb::delete_, "/v1/streams/a/events/17");
    CHECK(found.endpoint->handler == sluice::server::erase_event);
    CHECK(found.name == "a");
    CHECK(found.part == "17");
    CHECK(find_endpoint(http::verb::post, "/v1/streams/a/purge").endpoint->handler == sluice::server::purge_stream);
    CHECK(find_endpoint(http::verb::delete_, "/v1/streams/a").part.empty());
    for (const char* path : {"/v1/streams/a/events", "/v1/streams/a/events/", "/v1/streams//events/1",
                             "/v1/streams/a/events/1/", "/v1/streams/a/events/1/2", "/v1/streams/a/purge/"})
        CHECK(find_endpoint(http::verb::delete_, path).refusal.status == 404);
    CHECK(find_endpoint(http::verb::get, "/v1/streams/a/events/1").refusal.status == 405);
}
