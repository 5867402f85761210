#include "broker/server/subscriptions/ack_request.hpp"

#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <chrono>

using namespace std::chrono_literals;
using sluice::server::AckRequest;
using sluice::server::read_ack_request;

namespace {

AckRequest ack_of(std::string_view body) {
    AckRequest request;
    const auto refusal = read_ack_request(body, "epoch", request);
    INFO((refusal ? refusal->body : ""));
    REQUIRE_FALSE(refusal);
    return request;
}

std::string ack_refusal(const std::string& body) {
    AckRequest request;
    const auto refusal = read_ack_request(body, "epoch", request);
    if (!refusal) return "accepted";
    CHECK(refusal->status == 400);
    return std::string(boost::json::parse(refusal->body).at("detail").as_string());
}

}  // namespace

TEST_CASE("an acknowledgement has ids as numbers, as texts and with their epoch") {
    const AckRequest ack = ack_of(R"({"ids": [3, "4", "epoch-5", 18446744073709551615, 3], "up_to": "epoch-2"})");
    CHECK(ack.what.ids == std::vector<std::uint64_t>{3, 4, 5, ~std::uint64_t{0}, 3});
    CHECK(ack.what.up_to == 2u);
    CHECK(ack.what.rejected.empty());
    CHECK(ack.what.extended.empty());
    CHECK(ack.other_epochs.empty());
    const AckRequest none = ack_of("{}");
    CHECK(none.what.ids.empty());
    CHECK_FALSE(none.what.up_to);
}

TEST_CASE("ids of another epoch are kept apart") {
    const AckRequest ack = ack_of(R"({"ids": [1, "other-1"], "up_to": "other-2", "nack": [{"id": "old-epoch-3"}],
                                      "extend": [{"id": "other-4"}]})");
    CHECK(ack.what.ids == std::vector<std::uint64_t>{1});
    CHECK_FALSE(ack.what.up_to);
    CHECK(ack.what.rejected.empty());
    CHECK(ack.what.extended.empty());
    CHECK(ack.other_epochs == std::vector<std::string>{"other-1", "other-2", "old-epoch-3", "other-4"});
}

TEST_CASE("rejections and extensions have what is given, and defaults") {
    const AckRequest ack = ack_of(R"({"nack": [{"id": 1}, {"reason": "why", "delay": "5s", "deliveries": 2, "id": 3}],
                                      "extend": [{"id": 4}, {"id": 5, "by": "1min", "deliveries": 4294967295}]})");
    REQUIRE(ack.what.rejected.size() == 2);
    CHECK(ack.what.rejected[0].id == 1);
    CHECK(ack.what.rejected[0].deliveries == 0);
    CHECK(ack.what.rejected[0].delay == 0s);
    CHECK(ack.what.rejected[0].reason.empty());
    CHECK(ack.what.rejected[1].id == 3);
    CHECK(ack.what.rejected[1].deliveries == 2);
    CHECK(ack.what.rejected[1].delay == 5s);
    CHECK(ack.what.rejected[1].reason == "why");
    REQUIRE(ack.what.extended.size() == 2);
    CHECK(ack.what.extended[0].id == 4);
    CHECK_FALSE(ack.what.extended[0].by);
    CHECK(ack.what.extended[1].id == 5);
    CHECK(ack.what.extended[1].by == std::optional<sluice::broker::Ledger::Duration>(1min));
    CHECK(ack.what.extended[1].deliveries == 4'294'967'295u);
}

TEST_CASE("acknowledgements that are not valid are refused with the place") {
    struct Bad {
        std::string body, detail;
    };
    const std::string id_rule = " is not an event's number, or an id as in the event stream, \"EPOCH-ID\"";
    const std::vector<Bad> table{
        {"", "the body is not JSON: incomplete JSON"},
        {"{} {}", "the body is not JSON: extra data"},
        {"[]", "the body is not a JSON object"},
        {R"({"id": 1})", "unknown member \"id\" in the body; known are ids, up_to, nack, extend"},
        {R"({"ids": {}})", "member \"ids\" is not a list"},
        {R"({"nack": 1})", "member \"nack\" is not a list"},
        {R"({"ids": [1, 0]})", "ids[1]" + id_rule},
        {R"({"ids": [-1]})", "ids[0]" + id_rule},
        {R"({"ids": [1.0]})", "ids[0]" + id_rule},
        {R"({"ids": [null]})", "ids[0]" + id_rule},
        {R"({"ids": ["x"]})", "ids[0]" + id_rule},
        {R"({"ids": ["-1"]})", "ids[0]" + id_rule},
        {R"({"ids": ["epoch-0"]})", "ids[0]" + id_rule},
        {R"({"ids": [18446744073709551616]})", "ids[0]" + id_rule},
        {R"({"up_to": []})", "up_to" + id_rule},
        {R"({"nack": [1]})", "nack[0] is not an object"},
        {R"({"nack": [{}]})", "nack[0] has no \"id\""},
        {R"({"nack": [{"id": 1, "by": "1s"}]})",
         "unknown member \"by\" in nack[0]; known are id, deliveries, delay, reason"},
        {R"({"nack": [{"id": 1, "deliveries": 0}]})", "nack[0].deliveries is not a number of deliveries, from 1 on"},
        {R"({"nack": [{"id": 1, "deliveries": 4294967296}]})",
         "nack[0].deliveries is not a number of deliveries, from 1 on"},
        {R"({"nack": [{"id": 1, "delay": 5}]})",
         "nack[0].delay is not a duration with its unit, such as \"5s\" or \"10min\""},
        {R"({"nack": [{"id": 1, "delay": "8d"}]})", "nack[0].delay is more than 7d"},
        {R"({"nack": [{"id": 1, "reason": 5}]})", "nack[0].reason is not a string"},
        {R"({"nack": [{"id": 1, "reason": ")" + std::string(1'025, 'x') + "\"}]}",
         "nack[0].reason has more than 1024 bytes"},
        {R"({"extend": [{"id": 1, "delay": "1s"}]})",
         "unknown member \"delay\" in extend[0]; known are id, deliveries, by"},
        {R"({"extend": [{"id": 1}, {"id": 1, "by": ""}]})",
         "extend[1].by is not a duration with its unit, such as \"5s\" or \"10min\""},
    };
    for (const Bad& bad : table) {
        CAPTURE(bad.body);
        CHECK(ack_refusal(bad.body) == bad.detail);
    }
    CHECK(ack_refusal(R"({"nack": [{"id": 1, "reason": ")" + std::string(1'024, 'x') + "\"}]}") == "accepted");
}

TEST_CASE("an acknowledgement has at most 65,536 entries in all") {
    std::string ids = "1";
    for (int i = 1; i < 65'535; ++i) ids += ",1";
    const std::string body = R"({"ids": [)" + ids + R"(], "nack": [{"id": 1}], "extend": [)";
    CHECK(ack_of(body + "]}").what.ids.size() == 65'535);
    CHECK(ack_refusal(body + R"({"id": 2}]})") == "more than 65536 entries in all");
}
