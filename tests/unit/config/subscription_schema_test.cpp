#include <catch2/catch.hpp>

#include "config/load.hpp"

using namespace std::chrono_literals;
using sluice::config::AckOption;
using sluice::config::parse_subscription_options;
using sluice::config::SubscriptionOptions;

namespace {

using Texts = std::vector<std::string>;

Texts subscription_errors(std::string_view text) {
    SubscriptionOptions options;
    Texts texts;
    for (const auto& error : parse_subscription_options("body", text, options)) texts.push_back(to_string(error));
    return texts;
}

SubscriptionOptions options_of(std::string_view text, SubscriptionOptions options = {}) {
    const auto errors = parse_subscription_options("body", text, options);
    INFO((errors.empty() ? "" : to_string(errors[0])));
    REQUIRE(errors.empty());
    return options;
}

}  // namespace

TEST_CASE("options of a durable subscription have defaults") {
    for (const char* text : {"", "{}", "null"}) {
        const SubscriptionOptions o = options_of(text);
        CHECK(o.streams == Texts{"default"});
        CHECK(o.filters.empty());
        CHECK(o.start == "now");
        CHECK(o.ack == AckOption::each);
        CHECK(o.ack_wait == 30s);
        CHECK(o.max_deliver == 10);
        CHECK(o.dead_letter.empty());
        CHECK(o.prefetch == 1'000);
        CHECK_FALSE(o.share);
        CHECK(o.hold_bytes == 0);
    }
}

TEST_CASE("options of a durable subscription are read from JSON, and null stands for a default") {
    const std::string all =
        R"({"streams": ["news.*", "weather"], "filters": ["title = 'x'", "price < 3"], "start": "first",
            "ack": "none", "ack_wait": "2min", "max_deliver": 0, "dead_letter": "dead", "prefetch": 65536,
            "share": true, "hold_bytes": "10MiB"})";
    SubscriptionOptions o = options_of(all);
    CHECK(o.streams == Texts{"news.*", "weather"});
    CHECK(o.filters == Texts{"title = 'x'", "price < 3"});
    CHECK(o.start == "first");
    CHECK(o.ack == AckOption::none);
    CHECK(o.ack_wait == 2min);
    CHECK(o.max_deliver == 0);
    CHECK(o.dead_letter == "dead");
    CHECK(o.prefetch == 65'536);
    CHECK(o.share);
    CHECK(o.hold_bytes == 10u << 20);
    o = options_of(R"({"ack": "cumulative", "share": false})", o);
    CHECK(o.ack == AckOption::cumulative);
    CHECK_FALSE(o.share);
    CHECK(o.prefetch == 65'536);
    o = options_of(R"({"streams": null, "filters": null, "start": null, "ack": null, "ack_wait": null,
                       "max_deliver": null, "dead_letter": null, "prefetch": null, "share": null,
                       "hold_bytes": null})",
                   options_of(all));
    CHECK(o.streams == Texts{"default"});
    CHECK(o.filters.empty());
    CHECK(o.start == "now");
    CHECK(o.ack == AckOption::each);
    CHECK(o.ack_wait == 30s);
    CHECK(o.max_deliver == 10);
    CHECK(o.dead_letter.empty());
    CHECK(o.prefetch == 1'000);
    CHECK_FALSE(o.share);
    CHECK(o.hold_bytes == 0);
}

TEST_CASE("a durable subscription starts now, with the first event, after an id or at a time") {
    for (const char* start : {"now", "first", "0", "17", "3kTb0Xw91aZ-17", "24h", "2026-11-27T10:00:00Z"})
        CHECK(options_of("start: " + std::string(start)).start == start);
    CHECK(options_of(R"({"start": 17})").start == "17");
    for (const char* start : {"''", "last", "-17", "a-b", "1.5", "yesterday"}) {
        CAPTURE(start);
        CHECK(subscription_errors("start: " + std::string(start)).size() == 1);
    }
}

TEST_CASE("bad options of a durable subscription are refused with place and reason") {
    struct Bad {
        std::string_view text, error;
    };
    const std::vector<Bad> table{
        {R"(["a"])", "body:1:1: expected an object of options"},
        {R"({"stream": "a"})", "body:1:2: unknown option \"stream\"; did you mean \"streams\"?"},
        {R"({"streams": "a"})",
         "body:1:13: streams: expected a list of 1 to 100 streams, each a stream's name, a prefix of names such as "
         "news.*, or * for all streams, found the text \"a\""},
        {R"({"streams": []})",
         "body:1:13: streams: expected a list of 1 to 100 streams, each a stream's name, a prefix of names such as "
         "news.*, or * for all streams, found a list"},
        {R"({"streams": ["a", "ne*"]})",
         "body:1:19: streams: expected a list of 1 to 100 streams, each a stream's name, a prefix of names such as "
         "news.*, or * for all streams, found the text \"ne*\""},
        {R"({"filters": [{}]})", "body:1:14: filters: expected a list of at most 100 filters, found a map"},
        {R"({"ack": "all"})", "body:1:9: ack: expected one of none, each, cumulative, found the text \"all\""},
        {R"({"ack_wait": "1ms"})", "body:1:14: ack_wait: 1ms is not between 10ms and 7d"},
        {R"({"max_deliver": -1})", "body:1:17: max_deliver: -1 is not between 0 and 1000000"},
        {R"({"prefetch": 0})", "body:1:14: prefetch: 0 is not between 1 and 65536"},
        {R"({"prefetch": 65537})", "body:1:14: prefetch: 65537 is not between 1 and 65536"},
        {R"({"share": 1})", "body:1:11: share: expected true or false, found \"1\""},
        {R"({"dead_letter": "a b"})",
         "body:1:17: dead_letter: a stream's name has 1 to 128 of the characters A-Z a-z 0-9 . _ - (not just ., .. or "
         "-)"},
        {R"({"streams": ["dead.*"], "dead_letter": "dead.a"})",
         "body:1:1: dead_letter: dead.a is one of the subscription's own streams, so its dead letters would come "
         "back"},
    };
    for (const Bad& bad : table) {
        CAPTURE(bad.text);
        CHECK(subscription_errors(bad.text) == Texts{std::string(bad.error)});
    }
    std::string streams = "[s";
    for (int i = 0; i < 100; ++i) streams += ", s" + std::to_string(i);
    CHECK(subscription_errors("streams: " + streams + "]").size() == 1);
    CHECK(subscription_errors("filters: " + streams + "]").size() == 1);
    CHECK(subscription_errors(R"({"dead_letter": ""})").empty());
    CHECK(subscription_errors(R"({"streams": ["*"], "dead_letter": "d"})").size() == 1);
}

TEST_CASE("the streams of a durable subscription may not come to have its dead letters later") {
    SubscriptionOptions options = options_of(R"({"dead_letter": "dead"})");
    CHECK(parse_subscription_options("body", R"({"streams": ["dead"]})", options).size() == 1);
}
