#include "protocol/feed/data/cloud_event.hpp"

#include <boost/json/parse.hpp>

#include "protocol/feed/item/event_trace.hpp"
#include "protocol/feed/item/fields.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;
using Strings = std::vector<std::string>;

namespace {

const DocumentOptions single{"application/cloudevents+json; charset=utf-8", "", {}},
    batch{"application/cloudevents-batch+json", "", {}};

// A complete event with these members instead of or besides the usual ones.
std::string event(const std::string& more, const std::string& version = "\"1.0\"") {
    return "{\"specversion\":" + version + ",\"id\":\"1\",\"source\":\"/s\",\"type\":\"t\"" + more + "}";
}

BinaryCloudEvent binary(std::string type, std::vector<std::pair<std::string, std::string>> more = {}) {
    BinaryCloudEvent event;
    event.attributes = {{"specversion", "1.0"}, {"id", "1"}, {"source", "/s"}, {"type", "t"}};
    event.attributes.insert(event.attributes.end(), more.begin(), more.end());
    event.content_type = std::move(type);
    return event;
}

boost::json::value structured(const BinaryCloudEvent& event, const std::string& body) {
    const auto text = structured_cloud_event(event, body, {});
    REQUIRE(text.has_value());
    CHECK(text->size() <= structured_bytes_max(event, body));
    CHECK(parsed(*text, single)->items().size() == 1);
    return boost::json::parse(*text);
}

}  // namespace

TEST_CASE("a structured CloudEvent is an event with its attributes and data") {
    const std::string text = event(R"(,"subject":"room 3","time":"2024-05-01T12:00:00Z","level":3,"hot":true,
        "gone":null,"data":{"temp":[3,4.50]})");
    const DocumentPtr document = parsed(text, single);
    CHECK(document->format() == FeedFormat::cloud_event);
    CHECK(sources(document) == Strings{text});
    CHECK(text_at(document, "/feed/item[source='/s' and level=3 and hot='true' and not(gone)]/data/temp[2]") == "4.50");
    const Fields fields = read_fields(*document, document->items()[0]);
    CHECK(fields.id == "1");
    CHECK(fields.title == "room 3");
    CHECK(fields.authors == FieldTexts{"/s"});
    CHECK(fields.category == FieldTexts{"t"});
    CHECK(fields.published == 1714564800.0);
    CHECK(parsed(event(",\"data_base64\":\"AAEC\""), single)->items().size() == 1);
    CHECK(parsed(event(",\"data\":null"), single)->items().size() == 1);
    CHECK(text_at(parsed(event(",\"data\":\"<a/>\""), single), "//data") == "<a/>");
}

TEST_CASE("CloudEvents: the attributes traceparent and tracestate → the event's context, before that of the request") {
    const std::string own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    const text::TraceContext of_request{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "r=1"};
    DocumentOptions traced = batch;
    traced.trace = of_request;
    const auto trace_attributes = [&](const std::string& more) {
        return event(",\"traceparent\":\"" + own + "\"" + more);
    };
    const DocumentPtr document =
        parsed("[" + trace_attributes(",\"tracestate\":\"o=1\"") + "," + event("") + "," + trace_attributes("") + "," +
                   event(",\"traceparent\":\"junk\",\"tracestate\":\"o=1\"") + "," +
                   event(",\"traceparent\":7,\"data\":{\"traceparent\":\"" + own + "\"}") + "," +
                   event(",\"tracestate\":\"o=1\"") + "]",
               traced);
    const auto trace = [&](std::size_t index) { return trace_of({document, index, nullptr}); };
    REQUIRE(document->items().size() == 6);
    CHECK(trace(0) == text::TraceContext{own, "o=1"});
    CHECK(trace(1) == of_request);
    CHECK(trace(2) == text::TraceContext{own, ""});
    CHECK(trace(3) == of_request);
    CHECK(trace(4) == of_request);
    CHECK(trace(5) == of_request);
    const auto text = structured_cloud_event(binary("", {{"traceparent", own}, {"tracestate", "o=1"}}), "", {});
    REQUIRE(text.has_value());
    CHECK(trace_of({parsed(*text, single), 0, nullptr}) == text::TraceContext{own, "o=1"});
}

TEST_CASE("CloudEvents that break the specification") {
    for (const char* more :
         {",\"id\":\"2\"", ",\"Upper\":1", ",\"a_b\":1", ",\"\":1", ",\"x\":{}", ",\"x\":[1]", ",\"subject\":1",
          ",\"time\":true", ",\"data\":1,\"data_base64\":\"\"", ",\"data_base64\":1", ",\"x\":1,\"x\":1"}) {
        CAPTURE(more);
        CHECK(refused(event(more), single).kind == FeedError::Kind::not_well_formed);
    }
    CHECK(refused(event("", "\"0.3\""), single).message.find("specversion") != std::string::npos);
    CHECK(refused(event("", "1.0"), single).message == "the CloudEvents attribute \"specversion\" is a string");
    CHECK(refused("{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"/s\"}", single).message ==
          "a CloudEvent has the attribute \"type\"");
    CHECK(refused("{\"specversion\":\"1.0\",\"id\":\"\",\"source\":\"/s\",\"type\":\"t\"}", single).message ==
          "the CloudEvents attribute \"id\" is not empty");
    CHECK(refused("{\"specversion\":\"1.0\",\"id\":null,\"source\":\"/s\",\"type\":\"t\"}", single).message ==
          "a CloudEvent has the attribute \"id\"");
    CHECK(refused("[" + event("") + "]", single).message == "an event is a JSON object");
    CHECK(refused(event(""), batch).kind == FeedError::Kind::not_well_formed);
    std::string many;
    for (int i = 0; i < 100; ++i) many += ",\"x" + std::to_string(i) + "\":1";
    CHECK(refused(event(many), single).message == "a CloudEvent has at most 100 attributes");
}

TEST_CASE("a batch refuses bad events alone") {
    const DocumentPtr document = parsed("[" + event("") + ",\n{\"id\":\"1\"}," + event(",\"data\":1") + "]", batch);
    CHECK(sources(document) == Strings{event(""), event(",\"data\":1")});
    REQUIRE(document->refusals().count == 1);
    CHECK(document->refusals().first[0].index == 1);
    CHECK(document->refusals().first[0].error.line == 2);
    CHECK(parsed("[]", batch)->items().empty());
}

TEST_CASE("a binary CloudEvent is published as a structured one") {
    const auto json =
        structured(binary("application/json", {{"subject", "Caf%C3%A9 %22x%22 100%"}, {"note", "\"a\\\"b\""}}),
                   " {\"a\":[1e400]} ");
    CHECK(json.at("data").at("a").is_array());
    CHECK(json.at("subject") == "Caf\xC3\xA9 \"x\" 100%");
    CHECK(json.at("note") == "a\"b");
    CHECK(json.at("datacontenttype") == "application/json");
    CHECK(structured(binary("text/xml"), "<a b=\"c\"/>\n").at("data") == "<a b=\"c\"/>\n");
    CHECK(structured(binary("image/png"), std::string("\x89PNG\0", 5)).at("data_base64") == "iVBORwA=");
    CHECK(structured(binary("image/png"), "\xFF").at("data_base64") == "/w==");
    CHECK(structured(binary("image/png"), "\xFF\xFE").at("data_base64") == "//4=");
    CHECK(structured(binary("image/png"), "\xFF\xFE\xFD").at("data_base64") == "//79");
    CHECK(!structured(binary(""), "").as_object().contains("data"));
    structured(binary("text/plain"), std::string(1000, '"'));
}

TEST_CASE("a binary CloudEvent whose headers or data are wrong") {
    const auto fault = [](const BinaryCloudEvent& event, const std::string& body) {
        const auto text = structured_cloud_event(event, body, {});
        REQUIRE(text.has_error());
        return text.error();
    };
    CHECK(fault(binary("application/json"), "{\"a\":1}\n,\"id\":\"2\"").line == 2);
    CHECK(fault(binary("application/json"), "{\n\"a\":x}").column == 5);
    CHECK(fault(binary("application/vnd.x+json"), "\xFF").kind == FeedError::Kind::encoding);
    CHECK(fault(binary("application/json"), std::string(1000, '[')).message ==
          "the data nests deeper than limits.element_depth");
    CHECK(fault(binary("", {{"my-name", "x"}}), "").message.find("ce-my-name") != std::string::npos);
    CHECK(fault(binary("", {{"datacontenttype", "x"}}), "").kind == FeedError::Kind::not_well_formed);
    for (const char* value : {"caf\xE9", "caf%E9"})
        CHECK(fault(binary("", {{"note", value}}), "").message == "the header \"ce-note\" is not text in UTF-8");
}
