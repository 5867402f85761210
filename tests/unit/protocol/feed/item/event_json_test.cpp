#include "protocol/feed/item/event_json.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "protocol/feed/parse.hpp"
#include "protocol/feed/record/record_document.hpp"
#include "tests/support/tree_document.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

boost::json::object json_of(const Event& event, JsonValues values = JsonValues::where_needed) {
    const std::string json = event_json(event, values);
    CHECK(json.find('\n') == std::string::npos);
    return boost::json::parse(json).as_object();
}

std::string values_of(const std::string& item) {
    return boost::json::serialize(json_of(tree_event("<r>" + item + "</r>", "/r/*")).at("values"));
}

}  // namespace

TEST_CASE("an event tells its id, its stream and its fields") {
    const auto document = std::make_shared<TreeDocument>(
        "<rss><channel><item><title>A &quot;b&quot;</title><link>http://x/</link><category>p</category><category>q"
        "</category><pubDate>Thu, 29 Feb 2024 23:59:59 GMT</pubDate></item><item><pubDate>soon</pubDate></item>"
        "</channel></rss>",
        "//item", FeedFormat::rss);
    const auto stream = std::make_shared<const std::string>("new\"s");
    const auto first = json_of({document, 0, stream, 42});
    CHECK(first.at("id") == 42);
    CHECK(first.at("stream") == "new\"s");
    const auto& item = first.at("item").as_object();
    CHECK(item.at("title") == "A \"b\"");
    CHECK(item.at("link") == "http://x/");
    CHECK(item.at("published") == "2024-02-29T23:59:59Z");
    CHECK(item.at("category") == boost::json::array{"p", "q"});
    CHECK_FALSE(item.contains("author"));
    CHECK(json_of({document, 1, stream, 43}).at("item").at("published").is_null());
}

TEST_CASE("event_json: appended event → its time and change, any other → neither") {
    Event event = tree_event("<i/>", "/*");
    CHECK(event_json(event) == R"({"id":7,"stream":"news","item":{},"values":{".":[""]}})");
    event.time = 1'795'687'200'123'456;
    CHECK(event_json(event).starts_with(
        R"({"id":7,"stream":"news","time":"2026-11-26T10:00:00.123456Z","change":"new","item":{},)"));
    event.time = 1'795'687'200'000'000;
    event.change = EventRecord::Change::updated;
    CHECK(event_json(event).starts_with(
        R"({"id":7,"stream":"news","time":"2026-11-26T10:00:00.000000Z","change":"updated","item":{},)"));
}

TEST_CASE("event_json: a document of a traced request → its context in each event, between change and item") {
    const std::string parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const auto json = [](const text::TraceContext& trace) {
        DocumentOptions options{"application/json", "", {}};
        options.trace = trace;
        Event event{*parse_document(R"([{"a":1},{"traceparent":"x"}])", options), 1,
                    std::make_shared<const std::string>("s"), 1};
        event.time = 1'795'687'200'000'000;
        return event_json(event);
    };
    CHECK(json({parent, "a=b"}) ==
          R"({"id":1,"stream":"s","time":"2026-11-26T10:00:00.000000Z","change":"new","traceparent":")" + parent +
              R"(","tracestate":"a=b","item":{},"data":{"traceparent":"x"}})");
    CHECK(json({parent, ""}).find(R"("traceparent":")" + parent + R"(","item":{})") != std::string::npos);
    CHECK(json({}).find(R"("change":"new","item":{})") != std::string::npos);
}

TEST_CASE("event_json: a dead letter → what it was, between the trace context and the item") {
    DocumentOptions options{"application/json", "", {}};
    options.trace = {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ""};
    DocumentRecord record = record_document(**parse_document(R"({"a":1})", options), options);
    record.dead_letter = std::make_shared<const DeadLetter>(DeadLetter{"bill", "news", 12, 10, "no \"van\"\n\xFF"});
    const Event event{*parse_record(record, {}), 0, std::make_shared<const std::string>("dead"), 30};
    CHECK(event_json(event) ==
          R"({"id":30,"stream":"dead","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",)"
          R"("dead_letter":{"subscription":"bill","stream":"news","id":12,"deliveries":10,"reason":"no \"van\"\n)"
          "\uFFFD"
          R"("},"item":{},"data":{"a":1}})");
}

TEST_CASE("event_json: each format → data, or values where it has neither data nor a feed's fields") {
    struct Case {
        const char *type, *text;
        bool has_data, has_values;
    };
    const Case cases[] = {
        {"application/rss+xml", "<rss><channel><item><title>t</title><x>1</x></item></channel></rss>", false, false},
        {"application/rdf+xml",
         "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'>"
         "<item rdf:about='u'><title>t</title></item></rdf:RDF>",
         false, false},
        {"application/atom+xml", "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id></entry></feed>", false,
         false},
        {"application/xml", "<d><a><b>1</b></a></d>", false, true},
        {"application/feed+json", R"({"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1"}]})", true,
         false},
        {"application/json", R"({"n":1})", true, false},
        {"application/x-ndjson", R"({"n":1})", true, false},
        {"application/cloudevents+json", R"({"specversion":"1.0","id":"1","source":"/s","type":"t"})", true, false},
        {"text/csv", "n\n1\n", true, false},
        {"text/x-fasta", ">r\nAC\n", true, false},
        {"application/x-fastq", "@r\nAC\n+\nII\n", true, false},
    };
    for (const Case& each : cases) {
        INFO(each.text);
        const auto document = parse_document(each.text, {each.type, "", {}});
        REQUIRE(document.has_value());
        const Event event{*document, 0, std::make_shared<const std::string>("s"), 1};
        const auto usual = json_of(event), all = json_of(event, JsonValues::all);
        CHECK(usual.contains("item"));
        CHECK(usual.contains("data") == each.has_data);
        CHECK(usual.contains("values") == each.has_values);
        CHECK(all.contains("data") == each.has_data);
        CHECK(all.contains("values"));
    }
}

TEST_CASE("event_json: feed's text → once") {
    const std::string text(100, 'x');
    const auto document = parse_document(
        "<rss><channel><item><title>t</title><description>" + text + "</description></item></channel></rss>", {});
    REQUIRE(document.has_value());
    const std::string json = event_json({*document, 0, std::make_shared<const std::string>("s"), 1});
    const std::size_t first = json.find(text);
    REQUIRE(first != std::string::npos);
    CHECK(json.find(text, first + 1) == std::string::npos);
}

TEST_CASE("values are by path, in order of first appearance") {
    CHECK(values_of("<i id='1' xmlns:x='u'><b>1</b><a>2</a><b>3</b><c><d>4</d><d/></c></i>") ==
          R"({"@id":["1"],"b":["1","3"],"a":["2"],"c/d":["4",""]})");
    CHECK(values_of("<i><e url='u' length='5'/><e url='v'>text</e></i>") ==
          R"({"e/@url":["u","v"],"e/@length":["5"],"e":["text"]})");
    CHECK(values_of("<i>just text</i>") == R"({".":["just text"]})");
    CHECK(values_of("<i/>") == R"({".":[""]})");
    CHECK(values_of("<i><t><![CDATA[a < b]]></t></i>") == R"({"t":["a < b"]})");
}

TEST_CASE("elements among text are markup") {
    CHECK(values_of("<i><content type='xhtml'><div><p>Hello <b>big <i>wide</i></b> <a href='h'>world</a></p></div>"
                    "</content></i>") ==
          R"({"content/@type":["xhtml"],"content/div/p":["Hello big wide world"],"content/div/p/a/@href":["h"]})");
}

TEST_CASE("the JSON of a deep item with long names stays small") {
    std::string open, close;
    for (int i = 0; i < 100; ++i) {
        const std::string name(500, static_cast<char>('a' + i % 26));
        open += "<" + name + " x='1'>text";
        close.insert(0, "</" + name + ">");
    }
    const std::string xml = open + close;
    CHECK(event_json(tree_event(xml, "/*")).size() < 3 * xml.size());
}

TEST_CASE("the JSON of an item with very many long paths stays small, and says what it leaves out") {
    std::string xml = "<i>";
    const std::string name(900, 'n');
    xml += "<" + name + ">";
    for (int i = 0; i < 9'000; ++i) xml += "<e" + std::to_string(i) + "/>";
    xml += "</" + name + "></i>";
    const auto document = parse_document("<d>" + xml + "</d>", {"application/xml", "", {}});
    REQUIRE(document.has_value());
    const std::string text = event_json({*document, 0, std::make_shared<const std::string>("s"), 1});
    CHECK(text.size() < 6 * xml.size());  // with all paths: 8 MB
    const auto json = boost::json::parse(text).as_object();
    const std::size_t shown = json.at("values").as_object().size();
    CHECK(shown > 250);
    CHECK(shown + json.at("values_omitted").to_number<std::size_t>() == 9'000);
    CHECK_FALSE(
        boost::json::parse(event_json(tree_event("<i><b>1</b></i>", "/*"))).as_object().contains("values_omitted"));
}
