#include "broker/server/subscriptions/subscription_json.hpp"

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "config/load.hpp"

using namespace std::chrono_literals;
using sluice::config::AckOption;
using sluice::config::SubscriptionOptions;

namespace {

std::string options_text(const SubscriptionOptions& options) {
    return boost::json::serialize(sluice::server::subscription_options_json(options));
}

}  // namespace

TEST_CASE("the options of a subscription are shown with their values") {
    CHECK(options_text({}) ==
          R"({"streams":["default"],"filters":[],"start":"now","ack":"each","ack_wait":"30s","max_deliver":10,)"
          R"("dead_letter":"","prefetch":1000,"share":false,"hold_bytes":"0B"})");
}

TEST_CASE("options of a subscription are read again as they are shown") {
    SubscriptionOptions options;
    options.streams = {"a", "news.*"};
    options.filters = {"title = \"\xC3\xA9\\ \t\"", "x"};
    options.start = "2026-11-27T10:00:00Z";
    options.ack_wait = 1'500ms;
    options.max_deliver = 0;
    options.dead_letter = "dead";
    options.prefetch = 65'536;
    options.hold_bytes = 10u << 20;
    for (const AckOption ack : {AckOption::none, AckOption::each, AckOption::cumulative}) {
        options.ack = ack;
        options.share = ack != AckOption::cumulative;
        SubscriptionOptions read;
        REQUIRE(sluice::config::parse_subscription_options("", options_text(options), read).empty());
        CHECK(options_text(read) == options_text(options));
        CHECK(read.streams == options.streams);
        CHECK(read.filters == options.filters);
        CHECK(read.ack == ack);
        CHECK(read.ack_wait == options.ack_wait);
        CHECK(read.hold_bytes == options.hold_bytes);
    }
}
