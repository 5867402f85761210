#include <sstream>

#include "protocol/feed/data/json_reader.hpp"
#include "tests/unit/protocol/feed/parse_support.hpp"

using namespace sluice;
using namespace sluice::feed;

namespace {

std::string written(const DocumentPtr& document) {
    std::ostringstream out;
    PugiCopy(*document).tree().document_element().print(out, "", pugi::format_raw);
    return out.str();
}

// The tree of an item, as XML.
std::string item_tree(const std::string& item) {
    const DocumentPtr document = parsed("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[" + item + "]}");
    REQUIRE(document->items().size() == 1);
    CHECK(document->items()[0].source == item);
    std::ostringstream out;
    PugiCopy(*document).items()[0].print(out, "", pugi::format_raw);
    return out.str();
}

}  // namespace

TEST_CASE("a JSON Feed is seen as elements") {
    CHECK(written(parsed(R"({"version":"www.jsonfeed.org/version/v","title":"T","authors":[{"name":"A"},{"name":"B"}],
        "items":[{"id":"1","tags":["x","y"]},{"id":"2"}],"language":"en"})")) ==
          "<feed><version>www.jsonfeed.org/version/v</version><title>T</title><authors><name>A</name></"
          "authors><authors><name>B</name></authors>"
          "<item><id>1</id><tags>x</tags><tags>y</tags></item><item><id>2</id></item><language>en</language></feed>");
}

TEST_CASE("values of every kind") {
    CHECK(item_tree(R"({"a":null,"b":true,"c":false,"d":"","e":[],"f":{},"g":" "})") ==
          "<item><b>true</b><c>false</c><d/><f/><g> </g></item>");
    CHECK(item_tree(R"({"a":[1,[2,[3,null]],{"b":[4,5]}]})") ==
          "<item><a>1</a><a>2</a><a>3</a><a><b>4</b><b>5</b></a></item>");
    CHECK(item_tree(R"({"a":"x\n\u00e9\ud83d\ude00<&\u0000z"})") ==
          "<item><a>x\n\xC3\xA9\xF0\x9F\x98\x80&lt;&amp;\xEF\xBF\xBDz</a></item>");
    CHECK(item_tree("{}") == "<item/>");
}

TEST_CASE("numbers keep their text, but for exponents, which filters can't read") {
    const auto number = [](const std::string& json) {
        const std::string tree = item_tree("{\"n\":" + json + "}");
        return tree.substr(9, tree.size() - 9 - 11);
    };
    for (const char* text : {"0", "-0", "-0.0", "17", "-17", "9007199254740993", "18446744073709551616", "1.50", "0.1",
                             "123456789012345678901234567890.123456789012345678901234567890", "1e400", "-1E-400",
                             "1e2147483648", "1e99999999999999999999"})
        CHECK(number(text) == text);
    CHECK(number("1e3") == "1000");
    CHECK(number("1.5E-7") == "0.00000015");
    CHECK(number("-1.25e+1") == "-12.5");
    CHECK(number("1e21") == "1000000000000000000000");
    CHECK(number("12.50e1") == "125.0");
    CHECK(number("0.05e1") == "0.5");
    CHECK(number("0.5e1") == "5");
    CHECK(number("0e5") == "0");
    CHECK(number("5e00") == "5");
    CHECK(number("6.62607015e-34") == "0.000000000000000000000000000000000662607015");
    CHECK(number("1e308") == "1" + std::string(308, '0'));
    CHECK(number("-4.9406564584124654e-324").size() == number_text_max);
    CHECK(number("4.94065645841246544e-324").size() == number_text_max);
    CHECK(number("4.940656458412465444e-324") == "4.940656458412465444e-324");
}

TEST_CASE("keys become names that a filter can write") {
    CHECK(
        item_tree(
            R"({"@id":1,"my key":2,"2x":3,"":4,"_ok-1.a":5,"dc:date":6,":b":7,"a:b:c":8,"d:":9,"\u00e9":10,"a:1":11})") ==
        "<item><_id>1</_id><my_key>2</my_key><_2x>3</_2x><_>4</_><_ok-1.a>5</_ok-1.a><dc:date>6</dc:date><_b>7</_b>"
        "<a:b_c>8</a:b_c><d_>9</d_><\xC3\xA9>10</\xC3\xA9><a_1>11</a_1></item>");
}

TEST_CASE("JSON that is refused") {
    const char* const not_json[] = {"{",
                                    "[",
                                    "{]",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}]",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}]}x",
                                    "{items:[]}",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{}],}",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":01}]}",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":\"\\ud80\"}]}",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":\"\\x\"}]}",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":\"\n\"}]}",
                                    "{'items':[]}",
                                    "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[]/**/}",
                                    "{} {}",
                                    "[{}]]",
                                    "{\"a\":1.}",
                                    "{\"a\":+1}",
                                    "{\"a\":1e}",
                                    "{\"a\":tru}",
                                    "{\"a\":NaN}",
                                    "{\"a\" 1}",
                                    "{\"a\":1,}"};
    for (const char* text : not_json) {
        INFO(text);
        const FeedError error = refused(text);
        CHECK(error.kind == FeedError::Kind::not_well_formed);
        CHECK(error.message.starts_with("not JSON: "));
    }
    const FeedError error = refused("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[\n{\"a\":x}]}");
    CHECK(error.message == "not JSON: expected a value, found 'x'");
    CHECK(error.line == 2);
    CHECK(error.column == 6);
    CHECK(error.offset == 59);
    for (const char* text : {"", "1", "\"x\"", "null"}) {
        CAPTURE(text);
        CHECK(refused(text, {"application/json", "", {}}).kind == FeedError::Kind::not_well_formed);
    }
}

TEST_CASE("an object is an event, and so is each object of an array") {
    const DocumentPtr one = parsed(R"( {"sensor":{"id":"a","temp":3.50,"tags":["x",["y"]]}} )");
    CHECK(one->format() == FeedFormat::data);
    CHECK(written(one) ==
          "<feed><item><sensor><id>a</id><temp>3.50</temp><tags>x</tags><tags>y</tags></sensor></item>"
          "</feed>");
    CHECK(sources(one) == std::vector<std::string>{R"({"sensor":{"id":"a","temp":3.50,"tags":["x",["y"]]}})"});
    const DocumentPtr many = parsed(R"([{"a":1} , {"items":[{}]},{"a":{}}])");
    CHECK(sources(many) == std::vector<std::string>{R"({"a":1})", R"({"items":[{}]})", R"({"a":{}})"});
    CHECK(parsed("[]")->items().empty());
    CHECK(parsed(R"({"version":"https://jsonfeed.org/version/1.1","title":"t"})")->items().empty());
    CHECK(parsed(R"({"version":"1.1","title":"t"})")->items().size() == 1);
    CHECK(parsed(R"({"version":1,"title":"t"})")->items().size() == 1);
    CHECK(parsed("{}")->items().size() == 1);
    CHECK(parsed(R"({"items":{"a":1}})")->format() == FeedFormat::data);
    CHECK(PugiCopy(*parsed(R"({"a":1,"a":[2,3]})")).items()[0].select_nodes("a").size() == 3);
    CHECK(text_at(parsed("{\"a\":\"\\ud83d.\\ude00\\ud83d\\ud83d\\ude00\"}"), "//a") ==
          "\xEF\xBF\xBD.\xEF\xBF\xBD\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

TEST_CASE("JSON is a JSON Feed only if its version or its media type says so") {
    const auto format = [](const char* text, const char* type) { return parsed(text, {type, "", {}})->format(); };
    for (const char* text :
         {R"({"version":"https://jsonfeed.org/version/1.1","items":[{"id":1},{"id":2}]})",
          R"({"items":[{"id":1},{"id":2}],"version":"https://jsonfeed.org/version/1"})",
          R"({"a":{"version":"x","items":[]},"version":"http://www.jsonfeed.org/version/1.1","items":[]})",
          R"({"version":"jsonfeed.org/version/2"})"}) {
        CAPTURE(text);
        for (const char* type : {"", "application/json", "application/feed+json", "text/plain"})
            CHECK(format(text, type) == FeedFormat::json);
    }
    for (const char* text :
         {R"({"order_id":100,"items":[{"id":1}]})", R"({"items":[]})", R"({"items":[{}],"version":1})",
          R"({"version":"1.1","items":[]})", R"({"version":"2","title":"t","items":[{}]})",
          R"({"items":[{"version":"https://jsonfeed.org/version/1"}]})",
          R"({"version":"https://example.org/version/1","items":[1]})"}) {
        CAPTURE(text);
        for (const char* type : {"", "application/json", "text/plain"}) {
            CHECK(format(text, type) == FeedFormat::data);
            CHECK(sources(parsed(text, {type, "", {}})) == std::vector<std::string>{text});
        }
    }
    CHECK(format(R"({"order_id":100,"items":[{"id":1}]})", "application/feed+json") == FeedFormat::json);
    CHECK(format(R"({"order_id":100,"items":[{"id":1}]})", "Application/Feed+JSON; charset=utf-8") == FeedFormat::json);
}

TEST_CASE("a bad item is refused without its neighbours") {
    for (const char* format : {"[%]", "{\"items\":[%],\"version\":\"https://jsonfeed.org/version/1\"}"}) {
        for (const char* bad : {"1", "\"x, y\"", "[{\"a\":[]}]", "null", "{\"a\":tru}", "{\"a\":\"\\x\"}", "{\"a\":01}",
                                "{\"a\":[1,]}", "{\"a\" {\"b\":\"]}\"}}", "{,}", "{\"a\":1]", ""}) {
            std::string text = format;
            text.replace(text.find('%'), 1, "{\"n\":1},\n " + std::string(bad) + " ,{\"n\":2}");
            CAPTURE(text);
            const DocumentPtr document = parsed(text);
            CHECK(sources(document) == std::vector<std::string>{"{\"n\":1}", "{\"n\":2}"});
            CHECK(PugiCopy(*document).tree().select_nodes("/feed/item").size() == 2);
            REQUIRE(document->refusals().count == 1);
            REQUIRE(document->refusals().first.size() == 1);
            const ItemRefusal& refusal = document->refusals().first[0];
            CHECK(refusal.index == 1);
            CHECK(refusal.error.line == 2);
            CHECK(refusal.error.column >= 2);
            CHECK(!refusal.error.message.empty());
        }
    }
    DocumentOptions options;
    options.limits.item_values_max = 4;
    options.limits.depth_max = 4;
    options.limits.values_max = 8;
    const DocumentPtr document = parsed(R"([{"a":[1,2,3,4,5,6,7,8,9]},{"a":[[[]]]},{"n":1}])", options);
    CHECK(sources(document) == std::vector<std::string>{R"({"n":1})"});
    CHECK(document->refusals().first[0].error.kind == FeedError::Kind::limit);
    CHECK(document->refusals().first[1].error.message == "values nest deeper than limits.element_depth (4)");
}

TEST_CASE("where a bad item ends must be certain") {
    for (const char* bad : {"{\"a\":\"x\"y\"}", "{\"a\":[}", "{} {}", "a b"}) {
        const std::string text = "[{\"n\":1},\n" + std::string(bad) + ",{\"n\":2}]";
        CAPTURE(text);
        CHECK(refused(text).line == 2);
    }
}

TEST_CASE("of many refusals the first are told, and of nothing but refusals the first is the document's") {
    std::string text = "[{}";
    for (int i = 0; i < 1000; ++i) text += ",1";
    const DocumentPtr document = parsed(text + "]");
    CHECK(document->refusals().count == 1000);
    CHECK(document->refusals().first.size() == refusals_max);
    CHECK(document->refusals().first.back().index == refusals_max);
    CHECK(refused("[1,\n2]").message == "an event is a JSON object");
    CHECK(refused("[1,\n2]").line == 1);
}

TEST_CASE("a long key of many values does not multiply the document") {
    std::string text = "[{\"" + std::string(10'000, 'k') + "\":[1";
    for (int i = 0; i < 10'000; ++i) text += ",1";
    CHECK(refused(text + "]}]").kind == FeedError::Kind::limit);
}

TEST_CASE("NDJSON: an event a line, and a bad line is refused alone") {
    const DocumentOptions options{"application/x-ndjson", "", {}};
    const DocumentPtr document = parsed(
        "\xEF\xBB\xBF{\"n\":1} \r\n\n  {\"n\":2}\r\n{\"n\":\n[{}]\n{} {}\n"
        "{\"items\":[{}]}",
        options);
    CHECK(sources(document) == std::vector<std::string>{"{\"n\":1}", "{\"n\":2}", "{\"items\":[{}]}"});
    REQUIRE(document->refusals().count == 3);
    const auto& refusals = document->refusals().first;
    CHECK((refusals[0].index == 2 && refusals[0].error.line == 4 && refusals[0].error.column == 6));
    CHECK((refusals[1].index == 3 && refusals[1].error.line == 5));
    CHECK((refusals[2].index == 4 && refusals[2].error.line == 6 && refusals[2].error.column == 4));
    CHECK(refusals[0].error.message == "not JSON: expected a value, found the end");
    CHECK(parsed("", options)->items().empty());
    CHECK(parsed(" \n\r\n", options)->items().empty());
    CHECK(refused("x\ny", options).line == 1);
    DocumentOptions few = options;
    few.limits.items_max = 2;
    CHECK(refused("{}\n{}\n{}", few).message == "the document has more items than limits.items (2)");
}

TEST_CASE("JSON is UTF-8, with or without a byte order mark, whatever the charset") {
    DocumentOptions options;
    options.content_type = "application/feed+json; charset=iso-8859-1";
    const DocumentPtr document = parsed(
        "\xEF\xBB\xBF {\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":\"\xC3\xA9\"}]}", options);
    CHECK(text_at(document, "//a") == "\xC3\xA9");
    CHECK(refused("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"a\":\"\xE9\"}]}", options).kind ==
          FeedError::Kind::encoding);
    const std::string utf16 = std::string("\xFF\xFE{\0\"\0i\0t\0e\0m\0s\0\"\0:\0[\0]\0}\0", 26);
    CHECK(parsed(utf16)->items().size() == 1);
    CHECK(parsed(utf16, options)->items().empty());
}
