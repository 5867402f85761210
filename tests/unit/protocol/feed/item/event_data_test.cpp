#include "protocol/feed/item/event_data.hpp"

#include <boost/json.hpp>

#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

std::string data_of(const DocumentPtr& document, std::size_t item = 0) {
    JsonWriter json;
    write_event_data(json, {document, item, std::make_shared<const std::string>("s"), 1});
    CHECK(json.view().find_first_of("\r\n") == std::string::npos);
    return json.take();
}

std::string data_of(const std::string& text, const std::string& type, std::size_t item = 0) {
    return data_of(parsed(text, {type, "", {}}), item);
}

std::string compact(std::string_view text) {
    JsonWriter json;
    write_compact_json(json, text);
    return json.take();
}

}  // namespace

TEST_CASE("write_compact_json: white space between values → left out, all else → as published") {
    const std::pair<const char*, const char*> cases[] = {
        {"{}", "{}"},
        {" { } ", "{}"},
        {"{\r\n\t\"a\" : [ 1 ,\n 2 ]\r}", R"({"a":[1,2]})"},
        {R"({"a b" : " c  d "})", R"({"a b":" c  d "})"},
        {R"({"a": "x\" , \\"} )", R"({"a":"x\" , \\"})"},
        {R"(["\\", "\\\" ", "\/ \b\f\n\r\t"])", R"(["\\","\\\" ","\/ \b\f\n\r\t"])"},
        {R"([1.10, -0, 1e400, 1E+2, 0.000, 123456789012345678901234567890])",
         R"([1.10,-0,1e400,1E+2,0.000,123456789012345678901234567890])"},
        {R"([ true , false , null ])", R"([true,false,null])"},
        {R"({"a":1, "a":2})", R"({"a":1,"a":2})"},
        {R"({"z":1, "a":{"y":[[], {}, ""]}})", R"({"z":1,"a":{"y":[[],{},""]}})"},
        {"[\"\xC3\xA9 \xF0\x9F\x98\x80\", \"\\u00e9 \\u0000\"]", "[\"\xC3\xA9 \xF0\x9F\x98\x80\",\"\\u00e9 \\u0000\"]"},
        {"[\"\xE2\x80\xA8\"]", "[\"\xE2\x80\xA8\"]"},  // U+2028 ends a line for none of the readers of events
    };
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK(compact(text) == expected);
    }
}

TEST_CASE("write_compact_json: lone surrogate → U+FFFD, pair → as published") {
    const std::pair<const char*, const char*> cases[] = {
        {R"("\ud83d\ude00")", R"("\ud83d\ude00")"},
        {R"("\uD83D\uDE00")", R"("\uD83D\uDE00")"},
        {R"("\ud83d")", R"("\ufffd")"},
        {R"("\ude00")", R"("\ufffd")"},
        {R"("\ude00\ud83d")", R"("\ufffd\ufffd")"},
        {R"("\ud83d\ud83d\ude00")", R"("\ufffd\ud83d\ude00")"},
        {R"("\ud83d\u0041")", R"("\ufffd\u0041")"},
        {R"("\ud83d\n")", R"("\ufffd\n")"},
        {R"("\ud83dx\ude00")", R"("\ufffdx\ufffd")"},
        {R"("\\ud83d")", R"("\\ud83d")"},
        {R"("\\\ud83d")", R"("\\\ufffd")"},
        {R"({"\uDBFF":"\udfff\udbff\udfff"})", R"({"\ufffd":"\ufffd\udbff\udfff"})"},
        {R"("\ue000\ud7ff")", R"("\ue000\ud7ff")"},
    };
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK(compact(text) == expected);
        boost::json::parse(compact(text));  // throws where a strict parser would refuse
    }
}

TEST_CASE("write_compact_json: text that ends early → no read beyond it") {
    for (const char* text :
         {"", "\"", "\"\\", "\"\\u", "\"\\ud83", "\"\\ud83d", "\"\\ud83d\\", "\"\\ud83d\\ude0", "{\"a"}) {
        INFO(text);
        CHECK(compact(text).size() <= std::string_view(text).size());
    }
}

TEST_CASE("write_event_data: JSON of every kind → the published object") {
    struct Case {
        const char *type, *text;
        std::size_t item;
        const char* data;
    };
    const Case cases[] = {
        {"application/json", R"({"n": 7, "on": true, "no": null, "deep": {"list": [1, [2, {"x": []}]]}})", 0,
         R"({"n":7,"on":true,"no":null,"deep":{"list":[1,[2,{"x":[]}]]}})"},
        {"application/json", R"([{"a": 1}, {"a": 2.50}])", 1, R"({"a":2.50})"},
        {"application/json", "\xEF\xBB\xBF{\"a\": 1}", 0, R"({"a":1})"},
        {"application/json", R"({"a b": 1, "@id": 2, "": 3})", 0, R"({"a b":1,"@id":2,"":3})"},
        {"application/json", R"({"t": "\ud800"})", 0, R"({"t":"\ufffd"})"},
        {"application/x-ndjson", "{\"a\": 1}\r\n\n{\"b\": [2]}\n", 1, R"({"b":[2]})"},
        {"text/plain", "{\"a\": 1}\n{\"a\": 2}\n", 1, R"({"a":2})"},
        {"application/feed+json",
         R"({"version": "https://jsonfeed.org/version/1.1", "items": [{"id": "1", "_x": {"n": 1}, "tags": ["a"]}]})", 0,
         R"({"id":"1","_x":{"n":1},"tags":["a"]})"},
        {"application/cloudevents+json",
         R"({"specversion": "1.0", "id": "1", "source": "/s", "type": "t", "data": {"temp": 4.50}})", 0,
         R"({"specversion":"1.0","id":"1","source":"/s","type":"t","data":{"temp":4.50}})"},
        {"application/cloudevents-batch+json",
         R"([{"specversion": "1.0", "id": "1", "source": "/s", "type": "t"},
             {"specversion": "1.0", "id": "2", "source": "/s", "type": "t", "data": [1]}])",
         1, R"({"specversion":"1.0","id":"2","source":"/s","type":"t","data":[1]})"},
    };
    for (const Case& each : cases) {
        INFO(each.text);
        CHECK(data_of(each.text, each.type, each.item) == each.data);
    }
}

TEST_CASE("write_event_data: row of CSV → a member for each column, by its published name") {
    const std::pair<const char*, const char*> cases[] = {
        {"a,b\n1,2\n", R"({"a":"1","b":"2"})"},
        {"a,b\r\n1,\r\n", R"({"a":"1","b":""})"},
        {"my note, b ,2x,@id\n1,2,3,4\n", R"({"my note":"1","b":"2","2x":"3","@id":"4"})"},
        {"\"a\"\"b\",\"c,d\"\n\"x\"\"y\",\"1\n2\"\n", R"({"a\"b":"x\"y","c,d":"1\n2"})"},
        {"a,a\n1,2\n", R"({"a":["1","2"]})"},
        {"a,b,a,c,a\n1,2,3,4,5\n", R"({"a":["1","3","5"],"b":"2","c":"4"})"},
        {"a,b,b,a\n1,2,3,4\n", R"({"a":["1","4"],"b":["2","3"]})"},
        {"a b,a_b\n1,2\n", R"({"a b":"1","a_b":"2"})"},
        {"a,,b\n1,2,3\n", R"({"a":"1","":"2","b":"3"})"},
        {"\xC3\xA9\xE6\xBC\xA2\n x \n", "{\"\xC3\xA9\xE6\xBC\xA2\":\" x \"}"},
        {"n\n007\n", R"({"n":"007"})"},
    };
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK(data_of(text, "text/csv") == expected);
    }
    CHECK(data_of("1,2\n3,4\n", "text/csv; header=absent", 1) == R"({"c1":"3","c2":"4"})");
}

TEST_CASE("write_event_data: record of FASTA or FASTQ → what it has") {
    CHECK(data_of(">r1 first read\nACGTA\nCGTTT\n", "text/x-fasta") ==
          R"({"id":"r1","description":"first read","sequence":"ACGTACGTTT"})");
    CHECK(data_of(">r2\nAC\n", "text/x-fasta") == R"({"id":"r2","sequence":"AC"})");
    CHECK(data_of(">\n\n", "text/x-fasta") == R"({"sequence":""})");
    CHECK(data_of("@q1 x\nACGT\n+\n@+\"\\\n", "application/x-fastq") ==
          R"({"id":"q1","description":"x","sequence":"ACGT","quality":"@+\"\\"})");
}

TEST_CASE("write_event_data: XML → nothing, whatever it says") {
    for (const char* text : {"<rss><channel><item><title>{}</title></item></channel></rss>", "<d><a>1</a></d>",
                             "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>1</id></entry></feed>"}) {
        const DocumentPtr document = parsed(text);
        CHECK_FALSE(has_event_data(*document));
        CHECK(data_of(document).empty());
    }
}

TEST_CASE("write_event_data: CSV with many columns of one name → time and size linear in the row") {
    constexpr std::size_t columns = 5'000;
    std::string header = "a", row = "1";
    for (std::size_t i = 1; i < columns; ++i) {
        header += ",a";
        row += ",1";
    }
    const std::string data = data_of(header + "\n" + row + "\n", "text/csv");
    CHECK(data.size() == columns * 4 + 7);
}
