#include "broker/cli/client/target.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "broker/cli/commands.hpp"
#include "protocol/wire/http/query.hpp"
#include "tests/unit/broker/cli/ran.hpp"
#include "tests/unit/broker/cli/scripted_server.hpp"

using namespace sluice::cli;

namespace {

std::string all_bytes() {
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    return bytes;
}

// The parameters of the first request that a server got, as a broker reads them.
sluice::wire::Query received(test::ScriptedServer& server) {
    const std::string& request = server.requests().at(0);
    const std::size_t begin = request.find(' ') + 1;
    return sluice::wire::parse_target(std::string_view(request).substr(begin, request.find(' ', begin) - begin))->query;
}

}  // namespace

TEST_CASE("a broker reads from a target the very bytes of each value") {
    CHECK(target_of("/v1/events", {}) == "/v1/events");
    CHECK(target_of("/v1/events", {{"filter", "a+b & c"}, {"stream", ""}}) ==
          "/v1/events?filter=a%2Bb%20%26%20c&stream=");
    const std::string bytes = all_bytes();
    const std::string target = target_of("/x", {{"a", bytes}, {"b", "\u6F22"}});
    CHECK(target.find_first_of(" \"<>\\^`{|}#+;&\x7F", 3 + bytes.size()) != std::string::npos);  // the separator
    CHECK(std::all_of(target.begin(), target.end(), [](char c) { return c > ' ' && c < 0x7F; }));
    const auto query = sluice::wire::parse_target(target)->query;
    CHECK((query == sluice::wire::Query{{"a", bytes}, {"b", "\u6F22"}}));
}

TEST_CASE("every command sends its texts unchanged") {
    const std::string any = all_bytes().substr(1);
    {
        test::ScriptedServer server({test::reply("400 Bad Request", "", "{}")});
        SubscribeOptions options;
        options.server = server.url();
        options.stream = any;
        options.filters = {any, "contains(title, 'C++')"};
        test::run(subscribe, options);
        CHECK((received(server) ==
               sluice::wire::Query{{"stream", any}, {"filter", any}, {"filter", options.filters[1]}}));
    }
    test::ScriptedServer server({test::reply("400 Bad Request", "", "{}")});
    PublishOptions options;
    options.server = server.url();
    options.stream = any;
    options.repair = any;
    options.files = {"/dev/null"};
    test::run(publish, options);
    CHECK((received(server) == sluice::wire::Query{{"stream", any}, {"repair", any}}));
}

TEST_CASE("a stream that is given and empty is sent, for the broker to refuse, and not taken for its default") {
    const std::string refusal = test::reply("400 Bad Request", "", R"({"detail":"parameter \"stream\" is \"\""})");
    const auto run_for_nameless = [&](auto command, auto options) {
        test::ScriptedServer server({refusal});
        options.server = server.url();
        options.stream = "";
        const auto ran = test::run(command, options);
        CHECK(ran.exit_status == exit_failed);
        CHECK_THAT(ran.err, Catch::EndsWith(": parameter \"stream\" is \"\"\n"));
        const sluice::wire::Query query = received(server);
        CHECK(std::count(query.begin(), query.end(), sluice::wire::Query::value_type("stream", "")) == 1);
    };
    PublishOptions published;
    published.files = {"/dev/null"};
    run_for_nameless(publish, published);
    SubscribeOptions subscribed;
    subscribed.filters = {"a"};
    run_for_nameless(subscribe, subscribed);
    run_for_nameless(replay, subscribed);
    WhyOptions asked;
    asked.id = "1";
    asked.filter = "a";
    run_for_nameless(why, asked);
}
