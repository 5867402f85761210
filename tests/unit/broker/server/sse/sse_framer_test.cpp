#include "broker/server/sse/sse_framer.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <catch2/catch.hpp>

#include "tests/unit/broker/core/delivery/plain_framer.hpp"
#include "tests/unit/broker/support.hpp"

using namespace sluice;
using namespace sluice::broker;
using server::sse_json_framer;
using server::sse_source_framer;
using server::sse_xml_framer;

namespace {

const auto stream = std::make_shared<const std::string>("news");

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
    Delivery delivery = of(sse_json_framer(), event);
    const std::string plain = text_of(sse_json_framer(), delivery);
    CHECK(plain.starts_with("id: 42\ndata: {\"id\":42,\"stream\":\"news\","));
    CHECK(plain.ends_with("}}\n\n"));
    const std::string shared = plain.substr(0, plain.size() - 3);
    CHECK("id: 42\ndata: " + delivery.event->body == shared + '}');
    delivery.filters = {0, 9, 10, 99, 100, 4'294'967'295};
    CHECK(text_of(sse_json_framer(), delivery) == shared + ",\"filters\":[0,9,10,99,100,4294967295]}\n\n");
    delivery.annotations = std::make_shared<const Annotations>(Annotations{{}, {"determinism(a, 0.5) > 0"}});
    const std::string estimated = ",\"estimated\":[\"determinism(a, 0.5) > 0\"]";
    CHECK(text_of(sse_json_framer(), delivery) ==
          shared + ",\"filters\":[0,9,10,99,100,4294967295]" + estimated + "}\n\n");
    delivery.filters.clear();
    CHECK(text_of(sse_json_framer(), delivery) == shared + estimated + "}\n\n");
}

TEST_CASE("SSE xml: nothing is the subscriber's own") {
    Delivery delivery = of(sse_xml_framer(), event);
    delivery.filters = {1, 2};
    CHECK(text_of(sse_xml_framer(), delivery) == "id: 42\ndata: <item><title>a</title></item>\n\n");
}

TEST_CASE("SSE json: values of a feed's item → only with values=all, for which there is another framer") {
    const Framer& with_all = sse_json_framer(feed::JsonValues::all);
    CHECK(&with_all != &sse_json_framer());
    CHECK(&with_all == &sse_json_framer(feed::JsonValues::all));
    CHECK(sse_json_framer().format.body(event).find("\"values\":") == std::string::npos);
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
        Delivery delivery = of(sse_source_framer(), {document({inside}), 0, stream, 42});
        delivery.filters = {1, 2};
        CHECK(text_of(sse_source_framer(), delivery) == "id: 42\n" + std::string(expected) + "\n");
    }
}

TEST_CASE("SSE: gaps, and reasons for the end, are problems in every format") {
    const Framer& framer = *GENERATE(values({&sse_json_framer(), &sse_xml_framer(), &sse_source_framer()}));
    Delivery gap;
    gap.kind = Delivery::Kind::gap;
    gap.event = std::make_shared<const SharedEvent>(SharedEvent{stream, 42, ""});
    gap.filters = {3};
    gap.first_id = 40;
    gap.gap_events = 2;
    CHECK(text_of(framer, gap) ==
          "event: gap\nid: 42\ndata: {\"type\":\"urn:sluice:problem:over-budget\",\"title\":\"Not decided\","
          "\"detail\":\"a condition of the filter exceeds its budget for these events; they are not delivered by "
          "this filter\",\"reason\":\"over-budget\",\"filter\":3,\"stream\":\"news\",\"first_id\":40,"
          "\"last_id\":42,\"events\":2}\n\n");
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
