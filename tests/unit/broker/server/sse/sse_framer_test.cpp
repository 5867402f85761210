#include "broker/server/sse/sse_framer.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include "tests/unit/broker/core/delivery/plain_framer.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;

namespace {

const auto stream = std::make_shared<const std::string>("news");
const server::SseFramers framers("e7");

Delivery of(const Framer& framer, const feed::Event& event) {
    Delivery delivery;
    delivery.event =
        std::make_shared<const SharedEvent>(SharedEvent{event.stream, event.id, framer.format.body(event)});
    return delivery;
}

std::string text_of(const Framer& framer, const Delivery& delivery) {
    const std::string text = texts_of(framer, {delivery}).front();
    CHECK(framer.bytes(delivery) == text.size());
    return text;
}

const feed::Event event{document({"<title>a</title>"}), 0, stream, 42};

}  // namespace

TEST_CASE("SSE json: what is the subscriber's own stands behind what all share") {
    Delivery delivery = of(framers.json(), event);
    const std::string plain = text_of(framers.json(), delivery);
    CHECK(plain.starts_with("id: e7-42\ndata: {\"id\":42,\"stream\":\"news\","));
    CHECK(plain.ends_with("}}\n\n"));
    const std::string shared = plain.substr(0, plain.size() - 3);
    CHECK("id: e7-42\ndata: " + delivery.event->body == shared + '}');
    delivery.filters = {0, 9, 10, 99, 100, 4'294'967'295};
    CHECK(text_of(framers.json(), delivery) == shared + ",\"filters\":[0,9,10,99,100,4294967295]}\n\n");
    delivery.annotations = std::make_shared<const Annotations>(Annotations{{}, {"determinism(a, 0.5) > 0"}});
    const std::string estimated = ",\"estimated\":[\"determinism(a, 0.5) > 0\"]";
    CHECK(text_of(framers.json(), delivery) ==
          shared + ",\"filters\":[0,9,10,99,100,4294967295]" + estimated + "}\n\n");
    delivery.filters.clear();
    CHECK(text_of(framers.json(), delivery) == shared + estimated + "}\n\n");
}

TEST_CASE("SSE xml: nothing is the subscriber's own") {
    Delivery delivery = of(framers.xml(), event);
    delivery.filters = {1, 2};
    CHECK(text_of(framers.xml(), delivery) == "id: e7-42\ndata: <item><title>a</title></item>\n\n");
}

TEST_CASE("SSE json: values of a feed's item → only with values=all, for which there is another framer") {
    const Framer& with_all = framers.json(feed::JsonValues::all);
    CHECK(&with_all != &framers.json());
    CHECK(&with_all == &framers.json(feed::JsonValues::all));
    CHECK(framers.json().format.body(event).find("\"values\":") == std::string::npos);
    CHECK(with_all.format.body(event).ends_with(R"("item":{"title":"a"},"values":{"title":["a"]}})"));
}

TEST_CASE("SSE source: the item as published, each of its lines a field, whatever ends it") {
    const std::pair<const char*, const char*> cases[] = {
        {"<title>a</title>", "data: <item><title>a</title></item>\n"},
        {"\n <title>a</title>\n", "data: <item>\ndata:  <title>a</title>\ndata: </item>\n"},
        {"\r\n<title>a</title>\r", "data: <item>\ndata: <title>a</title>\ndata: </item>\n"},
        {"\n\n\r\r\n", "data: <item>\ndata: \ndata: \ndata: \ndata: </item>\n"},
        {"<g:id xmlns:g='u'>&amp;</g:id>", "data: <item><g:id xmlns:g='u'>&amp;</g:id></item>\n"},
        {"<![CDATA[a]]><!-- b -->", "data: <item><![CDATA[a]]><!-- b --></item>\n"},
    };
    for (const auto& [inside, expected] : cases) {
        INFO(inside);
        Delivery delivery = of(framers.source(), {document({inside}), 0, stream, 42});
        delivery.filters = {1, 2};
        CHECK(text_of(framers.source(), delivery) == "id: e7-42\n" + std::string(expected) + "\n");
    }
}

TEST_CASE("SSE: a reset says where it goes on, and with which id") {
    Delivery reset;
    reset.kind = Delivery::Kind::reset;
    reset.event = std::make_shared<const SharedEvent>(SharedEvent{stream, 42, ""});
    reset.first_id = 30;
    CHECK(text_of(framers.xml(), reset) ==
          "event: reset\nid: e7-29\ndata: {\"type\":\"urn:sluice:problem:reset\",\"title\":\"Events are missing\","
          "\"detail\":\"the log no longer has all of the events asked for; it goes on with those that it has\","
          "\"stream\":\"news\",\"oldest_id\":42,\"epoch\":\"e7\",\"reason\":\"retention\"}\n\n");
    reset.is_damage = true;
    CHECK(text_of(framers.xml(), reset) ==
          "event: reset\nid: e7-29\ndata: {\"type\":\"urn:sluice:problem:reset\",\"title\":\"Events are missing\","
          "\"detail\":\"the log can't read all of the events asked for; it goes on with those that it has\","
          "\"stream\":\"news\",\"oldest_id\":42,\"epoch\":\"e7\",\"reason\":\"damaged\"}\n\n");
}

TEST_CASE("SSE: an event that overtakes those of other streams has the id up to which all have been delivered") {
    Delivery delivery = of(framers.xml(), event);
    delivery.decided_id = 9;
    CHECK(text_of(framers.xml(), delivery) == "id: e7-9\ndata: <item><title>a</title></item>\n\n");
    delivery.decided_id = 50;
    CHECK(text_of(framers.xml(), delivery).starts_with("id: e7-42\n"));
}

TEST_CASE("SSE: gaps, and reasons for the end, are problems in every format") {
    const Framer& framer = *GENERATE(values({&framers.json(), &framers.xml(), &framers.source()}));
    Delivery gap;
    gap.kind = Delivery::Kind::gap;
    gap.event = std::make_shared<const SharedEvent>(SharedEvent{stream, 42, ""});
    gap.filters = {3};
    gap.first_id = 40;
    gap.gap_events = 2;
    CHECK(text_of(framer, gap) ==
          "event: gap\nid: e7-42\ndata: {\"type\":\"urn:sluice:problem:over-budget\",\"title\":\"Not decided\","
          "\"detail\":\"a condition of the filter exceeds its budget for these events; they are not delivered by "
          "this filter\",\"reason\":\"over-budget\",\"filter\":3,\"stream\":\"news\",\"first_id\":40,"
          "\"last_id\":42,\"events\":2}\n\n");
    gap.reason = GapReason::context;
    CHECK(text_of(framer, gap).find("\"reason\":\"context\"") != std::string::npos);
    const auto end = [&](const EndReason& reason) {
        const std::string text = framer.end_text(reason);
        REQUIRE(text.starts_with("event: error\ndata: {"));
        REQUIRE(text.ends_with("}\n\n"));
        return boost::json::parse(text.substr(text.find('{'))).as_object();
    };
    CHECK(end({EndReason::Kind::slow_consumer}).at("type") == "urn:sluice:problem:slow-consumer");
    CHECK(end({EndReason::Kind::undelivered}).at("type") == "urn:sluice:problem:undelivered");
    const auto slow = end({EndReason::Kind::slow_filter, 3, stream, 42});
    CHECK(slow.at("type") == "urn:sluice:problem:slow-filter");
    CHECK(slow.at("filter").to_number<int>() == 3);
    CHECK(slow.at("stream") == "news");
    CHECK(slow.at("id").to_number<int>() == 42);
}
